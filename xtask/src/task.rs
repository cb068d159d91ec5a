//! What all tasks that compare us with other solvers have in common: arguments, exit codes, workers.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;
use clap::Parser;

/// Runs a task with its arguments, the first of which is its name. It gives the number of problems that it found.
pub fn main<Options: Parser>(
    args: impl Iterator<Item = OsString>,
    run: impl FnOnce(&Options) -> Result<usize>,
) -> ExitCode {
    let options = match Options::try_parse_from(args) {
        Ok(options) => options,
        Err(error) => {
            // Help and version are no errors; clap knows where each goes.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    match run(&options) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(3)
        }
    }
}

/// Numbers from zero, each of which goes to one worker.
pub struct Numbers {
    next: AtomicU64,
    end: u64,
}

impl Numbers {
    /// The next number; none if all are taken.
    pub fn take(&self) -> Option<u64> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (number < self.end).then_some(number)
    }
}

/// Lets so many workers take the numbers below an end. A worker keeps what it needs from one number to the next.
pub fn share_out(jobs: usize, end: u64, work: impl Fn(&Numbers) -> Result<()> + Sync) -> Result<()> {
    let numbers = Numbers { next: AtomicU64::new(0), end };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(|| work(&numbers))).collect();
        let join = |worker: std::thread::ScopedJoinHandle<'_, Result<()>>| {
            worker.join().expect("workers do not panic")
        };
        workers.into_iter().map(join).collect::<Vec<_>>().into_iter().collect()
    })
}

/// The random numbers of one piece of work, whoever does it.
pub fn seed_of(seed: u64, number: u64) -> u64 {
    seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(number)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn every_number_goes_to_one_worker() {
        let taken = Mutex::new(Vec::new());
        let work = |numbers: &Numbers| {
            while let Some(number) = numbers.take() {
                taken.lock().unwrap().push(number);
            }
            Ok(())
        };
        share_out(3, 100, work).unwrap();
        let taken = taken.into_inner().unwrap();
        assert_eq!(taken.len(), 100);
        assert_eq!(taken.into_iter().collect::<BTreeSet<u64>>(), (0..100).collect());
    }

    #[test]
    fn what_one_worker_complains_of_is_not_lost() {
        let work = |numbers: &Numbers| match numbers.take() {
            Some(0) => anyhow::bail!("zero"),
            _ => Ok(()),
        };
        assert!(share_out(2, 10, work).is_err());
    }
}
