//! What the solver does, step by step, for a listener.
//!
//! An event is made only if there is a listener, so that reporting costs nothing otherwise.

use std::fmt;

/// Something that the solver reports while it works. Its text is one line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// The features of a formula by which an arm is chosen.
    Probe(String),
    /// An arm was chosen.
    Arm {
        /// Its name.
        name: &'static str,
        /// Why it was chosen.
        reason: String,
    },
    /// Anything else.
    Step(String),
}

impl fmt::Display for Event {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Probe(features) => write!(formatter, "probe: {features}"),
            Event::Arm { name, reason } => write!(formatter, "arm: {name}, because {reason}"),
            Event::Step(text) => formatter.write_str(text),
        }
    }
}

/// Takes events.
type Listener = Box<dyn FnMut(&Event) + Send>;

/// Takes events to a listener, if there is one.
#[derive(Default)]
pub(crate) struct Log {
    listener: Option<Listener>,
}

impl Log {
    /// Without a listener.
    pub(crate) fn silent() -> Self {
        Log::default()
    }

    /// Every event goes to this listener.
    pub(crate) fn to(listener: impl FnMut(&Event) + Send + 'static) -> Self {
        Log { listener: Some(Box::new(listener)) }
    }

    /// Reports an event.
    pub(crate) fn report(&mut self, event: impl FnOnce() -> Event) {
        if let Some(listener) = &mut self.listener {
            listener(&event());
        }
    }

    /// Reports a step.
    pub(crate) fn say(&mut self, text: impl FnOnce() -> String) {
        self.report(|| Event::Step(text()));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn events_reach_the_listener() {
        let (sender, receiver) = channel();
        let mut log = Log::to(move |event| sender.send(event.to_string()).unwrap());
        log.say(|| "one".to_owned());
        log.report(|| Event::Arm { name: "two", reason: "three".to_owned() });
        assert_eq!(receiver.try_recv().unwrap(), "one");
        assert_eq!(receiver.try_recv().unwrap(), "arm: two, because three");
    }

    #[test]
    fn without_a_listener_no_event_is_made() {
        Log::silent().say(|| unreachable!("there is no listener"));
    }
}
