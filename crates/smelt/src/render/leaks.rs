//! What is said at the end of a command of processes that solvers have left behind.

use smelt_runner::process;

/// A line for each program that has left processes running; all of them were ended.
pub(crate) fn notices() -> Vec<String> {
    process::leaks()
        .into_iter()
        .map(|(program, count)| notice(&program.display().to_string(), count))
        .collect()
}

fn notice(program: &str, count: usize) -> String {
    let processes = if count == 1 { "1 process" } else { &format!("{count} processes") };
    format!("note: `{program}` left {processes} running; smelt ended what was left\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_process_is_not_plural() {
        assert_eq!(notice("z3", 1), "note: `z3` left 1 process running; smelt ended what was left\n");
        assert_eq!(notice("z3", 12), "note: `z3` left 12 processes running; smelt ended what was left\n");
    }
}
