//! Works on many items at once and hands the results over in the order of the items.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use crate::interruption;
use crate::timing::Timing;

/// Does `work` on every item on up to `jobs` threads and gives each result to `take`, first item first.
///
/// Stops early when `take` fails or the user wants an end.
pub fn in_order<Item, Done, Failure>(
    items: &[Item],
    jobs: NonZeroUsize,
    work: impl Fn(&Item) -> Done + Sync,
    mut take: impl FnMut(Done) -> Result<(), Failure>,
) -> Result<(), Failure>
where
    Item: Sync,
    Done: Send,
{
    let next_item = AtomicUsize::new(0);
    let is_stopped = AtomicBool::new(false);
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..jobs.get().min(items.len()) {
            let sender = sender.clone();
            let (next_item, is_stopped, work) = (&next_item, &is_stopped, &work);
            scope.spawn(move || {
                loop {
                    let position = next_item.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(position) else { return };
                    let is_over = is_stopped.load(Ordering::Relaxed) || interruption::is_requested();
                    if is_over || sender.send((position, work(item))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut early: BTreeMap<usize, Done> = BTreeMap::new();
        let mut wanted = 0;
        for (position, done) in receiver {
            early.insert(position, done);
            while let Some(done) = early.remove(&wanted) {
                wanted += 1;
                if let Err(failure) = take(done) {
                    is_stopped.store(true, Ordering::Relaxed);
                    return Err(failure);
                }
            }
        }
        Ok(())
    })
}

/// As many jobs as the machine has cores for measuring: hyper-threads of one core count once.
pub fn whole_cores() -> NonZeroUsize {
    NonZeroUsize::new(Timing::begin(1).cores()).unwrap_or(NonZeroUsize::MIN)
}

/// As many jobs as the machine has cores.
pub fn all_cores() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..500).collect();
        let mut taken = Vec::new();
        let jobs = NonZeroUsize::new(4).unwrap();
        let work = |item: &u64| {
            // Later items are cheaper, so that they tend to be ready first.
            (0..(500 - item) * 20).fold(*item, |sum, step| std::hint::black_box(sum ^ step));
            *item
        };
        in_order(&items, jobs, work, |done| {
            taken.push(done);
            Ok::<(), ()>(())
        })
        .unwrap();
        assert_eq!(taken, items);
    }

    #[test]
    fn a_failure_of_the_taker_stops_the_work() {
        let items: Vec<u64> = (0..1000).collect();
        let mut taken = 0;
        let result = in_order(
            &items,
            NonZeroUsize::MIN,
            |item| *item,
            |done| {
                taken += 1;
                if done == 3 { Err("enough") } else { Ok(()) }
            },
        );
        assert_eq!(result, Err("enough"));
        assert_eq!(taken, 4);
    }

    #[test]
    fn no_items_need_no_work() {
        let result: Result<(), ()> = in_order(&[] as &[u8], NonZeroUsize::MIN, |item| *item, |_| Err(()));
        assert_eq!(result, Ok(()));
    }
}
