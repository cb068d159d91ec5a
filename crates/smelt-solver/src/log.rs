//! What the solver does, step by step, for whoever listens.
//!
//! A line is made only if there is a listener, so that saying something costs nothing otherwise.

/// Whoever takes lines.
type Listener = Box<dyn FnMut(&str) + Send>;

/// Takes lines to a listener, if there is one.
#[derive(Default)]
pub struct Log {
    listener: Option<Listener>,
}

impl Log {
    /// Nobody listens.
    pub fn silent() -> Self {
        Log::default()
    }

    /// Every line goes to this listener.
    pub fn to(listener: impl FnMut(&str) + Send + 'static) -> Self {
        Log { listener: Some(Box::new(listener)) }
    }

    /// Says a line.
    pub fn say(&mut self, line: impl FnOnce() -> String) {
        if let Some(listener) = &mut self.listener {
            listener(&line());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn lines_reach_the_listener() {
        let (sender, receiver) = channel();
        let mut log = Log::to(move |line| sender.send(line.to_owned()).unwrap());
        log.say(|| "one".to_owned());
        assert_eq!(receiver.try_recv().unwrap(), "one");
    }

    #[test]
    fn without_a_listener_no_line_is_made() {
        Log::silent().say(|| unreachable!("nobody listens"));
    }
}
