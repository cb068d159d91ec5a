//! Cases, runs, verdicts and findings as plain data, and the judges between them.
//!
//! Nobody is blamed without evidence: a `sat` refutes an `unsat` only if our own evaluator accepts its model, and where
//! nothing tells who is wrong, the verdict is *disputed* and names no culprit.
//!
//! The crate is pure: no files, no clock, no processes. Whoever runs solvers fills these types; whoever records
//! findings reads them.
//!
//! | to find | look in |
//! |---|---|
//! | what a case is and where it comes from | [`case`] |
//! | what came of a run | [`run`] |
//! | the classes of findings and their evidence; their ids | [`finding`]; [`finding_id`] |
//! | text of others made safe for terminals, Markdown, shells, HTML and CSV | [`foreign_text`]; why so in `docs/design/trust.md` |
//! | is a model a model, do values agree with it | [`evaluated`] |
//! | assertions that are false under every model | [`contradictions`] |
//! | what a model says of each assertion, for people | [`model_report`] |
//! | what is in force at the last check of a script | [`flatten`] |
//! | objectives of a script, values that are reported of them, what would be better | [`objectives`]; [`objective_value`]; [`better`] |
//! | asking a solver for a proof; its steps, tested; the step behind a wrong `unsat` | [`proof_request`]; [`proof_steps`]; [`guilty_step`] |
//! | the value of each assertion under a model, for reports | [`assertion_values`] |
//! | what references and models tell of a formula that many solvers are run on | [`references`] |
//! | when repeated measurements show that a solver is slower than others | [`slowness`] |
//! | who is wrong, and how we know; judges speak at once or ask for more runs | [`judge`], one file a judge in `judge/` |
//!
//! A `sat` refutes an `unsat` only if our evaluator accepts its model. Where nothing tells who is wrong, smelt's own
//! solver is asked; where that does not help either, the verdict is *disputed* and names no culprit.

pub mod assertion_values;
pub mod better;
pub mod case;
pub mod contradictions;
pub mod evaluated;
pub mod finding;
pub mod finding_id;
pub mod flatten;
pub mod foreign_text;
pub mod guilty_step;
pub mod judge;
pub mod model_report;
pub mod objective_value;
pub mod objectives;
pub mod proof_request;
pub mod proof_steps;
pub mod references;
pub mod run;
pub mod signature;
pub mod slowness;
