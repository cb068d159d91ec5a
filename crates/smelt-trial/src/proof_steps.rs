//! A solver asked for a proof of a script, whose steps are tested.

use std::fs;
use std::io;
use std::path::PathBuf;

use smelt_oracle::flatten::flatten;
use smelt_oracle::proof_request::proof_request;
use smelt_oracle::proof_steps::{ProofOrigin, ProofReport, StepOptions};
use smelt_oracle::run::{Answer, Run};
use smelt_runner::answer::read_run;
use smelt_runner::cold;
use smelt_runner::limits::Limits;
use smelt_runner::solver::Solver;
use smelt_smtlib::print::script_text;
use smelt_smtlib::read::read_script;
use smelt_smtlib::term::Terms;

/// Bytes of a proof.
const MAX_PROOF: usize = 256 << 20;

/// How solvers are asked for proofs.
#[derive(Debug)]
pub struct ProofAsking {
    /// The format, and how steps are tested.
    pub options: StepOptions,
    /// Processor time for each run.
    pub timeout_secs: f64,
    /// Where proofs are kept; none for nowhere.
    pub folder: Option<PathBuf>,
}

impl ProofAsking {
    /// Asks a solver for a proof of a script and tests its steps.
    pub fn ask(&self, file: &str, text: &str, solver: &Solver) -> ProofReport {
        let origin = ProofOrigin { file, solver: &solver.name };
        let failed = |answer, problem: String| ProofReport::without_proof(origin, answer, Some(problem));
        let mut terms = Terms::new();
        let script = read_script(&mut terms, text).script;
        let family = solver.family.name();
        let Some(script) = flatten(&terms, &script) else {
            return failed("unread", "the script has no check, or unknown commands".to_owned());
        };
        let format = (family == "cvc5").then_some(self.options.format);
        let Some(asking) = proof_request(&mut terms, &script, family, format) else {
            return failed("unread", "proofs of this solver are not read".to_owned());
        };
        let question = script_text(&mut terms, &asking);
        let limits = Limits { output: MAX_PROOF, ..Limits::for_seconds(self.timeout_secs) };
        let run: Run = match cold::run(&solver.invocation, &question, &limits) {
            Ok(raw) => read_run(&solver.name, &raw),
            Err(error) => return failed("error", error.to_string()),
        };
        if run.answer != Answer::Unsat {
            return ProofReport::without_proof(origin, run.answer.word(), None);
        }
        if let Err(error) = self.keep(origin, &run.output) {
            return failed("error", error.to_string());
        }
        let plain = script_text(&mut terms, &script);
        let mut report = ProofReport::of(origin, &plain, &run.output, &self.options);
        report.cpu_ms = run.cpu_ms;
        report
    }

    fn keep(&self, origin: ProofOrigin<'_>, proof: &str) -> io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let name = origin.file.replace(['/', '\\'], "_");
        fs::create_dir_all(folder)?;
        fs::write(folder.join(format!("{name}.{}.proof", origin.solver)), proof)
    }
}
