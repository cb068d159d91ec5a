//! Options that hunts start solvers with, by family: each line is one set.
//!
//! Most of a solver is behind options, and most bugs are found there. The sets must leave its answers right: options
//! that are documented to change what a formula means, or to search only a part of all models, are not here. A release
//! that does not know an option of a set refuses to start, which a hunt finds out by asking.
//!
//! The first of each family are those of chapters 4 and 5 of Winterer's thesis.

use crate::family::Family;
use crate::library::solver_args;
use crate::solver::Solver;

/// Option 3 of `smt.arith.solver` is left out: it is documented to combine no theories. The others that are made for a
/// fragment say `unknown` outside of it.
const Z3: &[&str] = &[
    "smt.arith.solver=1",
    "smt.arith.solver=2",
    "smt.arith.solver=4",
    "smt.arith.solver=5",
    "smt.arith.solver=6",
    "smt.string_solver=z3str3",
    "tactic.default_tactic=smt sat.euf=true",
    "rewriter.flat=false",
    "rewriter.arith_lhs=true",
    "rewriter.blast_eq_value=true",
    "rewriter.bv_sort_ac=true",
    "rewriter.coalesce_chars=false",
    "rewriter.elim_and=true",
    "rewriter.eq2ineq=true",
    "rewriter.expand_power=true",
    "rewriter.expand_select_store=true",
    "rewriter.expand_store_eq=true",
    "rewriter.gcd_rounding=true",
    "rewriter.hoist_ite=true",
    "rewriter.local_ctx=true",
    "rewriter.pull_cheap_ite=true",
    "rewriter.push_ite_arith=true",
    "rewriter.push_ite_bv=true",
    "rewriter.som=true",
    "rewriter.sort_store=true",
    "rewriter.sort_sums=true",
    "rewriter.split_concat_eq=true",
    "smt.arith.propagation_mode=0",
    "smt.arith.random_initial_value=true",
    "smt.auto_config=false smt.case_split=3",
    "smt.auto_config=false smt.relevancy=0",
    "smt.bv.enable_int2bv=false",
    "smt.delay_units=true",
    "smt.mbqi=false",
    "smt.phase_selection=5",
    "smt.qi.quick_checker=2",
    "smt.restart_strategy=2",
    "smt.seq.split_w_len=false",
];

/// Left out although they sound harmless: `--global-negate`, `--quant-fun-wd`, `--solve-int-as-bv`, `--solve-real-as-int`.
const CVC5: &[&str] = &[
    "--sygus-inference=try",
    "--sygus-inference=on",
    "--sygus-inference",
    "--uf-ho",
    "--re-elim=on",
    "--re-elim=agg",
    "--decision=internal",
    "--decision=justification",
    "--decision=stoponly",
    "--arith-rewrite-equalities",
    "--arrays-eager-index",
    "--bool-to-bv=all",
    "--bv-eager-eval",
    "--bv-rw-extend-eq",
    "--bv-solver=bitblast-internal",
    "--bv-to-bool",
    "--cegqi-all",
    "--conflict-process=min",
    "--cut-all-bounded",
    "--ee-mode=central",
    "--enum-inst",
    "--ext-rew-prep=agg",
    "--ext-rew-prep=use",
    "--ext-rewrite-quant",
    "--finite-model-find",
    "--fmf-bound",
    "--foreign-theory-rewrite",
    "--ite-simp",
    "--learned-rewrite",
    "--macros-quant",
    "--mbqi",
    "--miniscope-quant=agg",
    "--minisat-simplification=none",
    "--nl-cov",
    "--nl-ext=full",
    "--nl-ext=light",
    "--pre-skolem-quant=on",
    "--prenex-quant=none",
    "--repeat-simp",
    "--simplification=none",
    "--sort-inference",
    "--static-learning",
    "--strings-deq-ext",
    "--strings-eager-eval",
    "--strings-eager-len-re",
    "--strings-eager-reg",
    "--strings-eager-solver",
    "--strings-fmf",
    "--strings-mbr",
    "--strings-process-loop-mode=none",
    "--strings-process-loop-mode=simple",
    "--strings-rexplain-lemmas",
    "--sygus-inst",
    "--theoryof-mode=type",
    "--unconstrained-simp",
    "--use-soi",
];

const CVC4: &[&str] = &[
    "--sygus-inference",
    "--uf-ho",
    "--re-elim",
    "--re-elim-agg",
    "--decision=internal",
    "--decision=justification",
    "--ext-rew-prep",
    "--ext-rew-prep-agg",
    "--finite-model-find",
    "--nl-ext-tplanes",
    "--repeat-simp",
    "--simplification=none",
    "--sort-inference",
    "--strings-fmf",
    "--strings-lazy-pp",
    "--theoryof-mode=type",
    "--unconstrained-simp",
];

/// Left out are those that write files, print statistics, or are limits. `sat-solver` only has what the packages contain.
const BITWUZLA: &[&str] = &[
    "--rewrite-level=0",
    "--rewrite-level=1",
    "--bv-solver=preprop",
    "--preprocess=false",
    "--pp-contr-ands=true",
    "--pp-elim-bvudiv=true",
    "--pp-embedded=false",
    "--pp-flatten-and=false",
    "--pp-normalize=false",
    "--pp-skeleton-preproc=false",
    "--pp-variable-subst=false",
    "--pp-variable-subst-norm-eq=false",
    "--pp-variable-subst-norm-diseq=true",
    "--pp-variable-subst-norm-bv-ineq=true",
    "--abstraction=false",
    "--abstraction-bv-size=4",
    "--abstraction-bv-size=8 --abstraction-eager-refine=true",
    "--abstraction-bv-size=4 --abstraction-value-only=true",
    "--abstraction-bv-size=4 --abstraction-inc-bitblast=true",
    "--abstraction-bv-size=4 --abstraction-bvadd=true --abstraction-ite=true",
    "--abstraction-bv-size=4 --abstraction-assert=true",
    "--check-model=true",
    "--check-unsat-core=true",
];

const BOOLECTOR: &[&str] = &[
    "--rewrite-level=0",
    "--rewrite-level=1",
    "--rewrite-level=2",
    "--ackermannize=1",
    "--beta-reduce=1",
    "--beta-reduce=2",
    "--eliminate-slices=0",
    "--var-subst=0",
    "--ucopt=1",
    "--merge-lambdas=0",
    "--extract-lambdas=0",
    "--normalize=0",
    "--normalize-add=0",
    "--skeleton-preproc=0",
    "--fun-preprop=1",
    "--fun-dual-prop=1",
    "--fun-just=1",
    "--fun-lazy-synthesize=0",
    "--fun-eager-lemmas=0",
    "--fun-eager-lemmas=2",
    "--fun-store-lambdas=1",
    "--simp-norm-adds=1",
    "--nondestr-subst=1",
];

const YICES: &[&str] = &["--mcsat"];

/// Sets of options for a family; the words of a set are separated by blanks.
pub fn option_sets(family: Family) -> &'static [&'static str] {
    match family {
        Family::Z3 => Z3,
        Family::Cvc5 | Family::Cvc5Gpl => CVC5,
        Family::Cvc4 => CVC4,
        Family::Bitwuzla => BITWUZLA,
        Family::Boolector => BOOLECTOR,
        Family::Yices => YICES,
        Family::Smelt | Family::Generic => &[],
    }
}

/// What gives a solver of a family this random seed; none if there is no such option.
pub fn random_seed(family: Family, seed: u32) -> Option<Vec<String>> {
    match family {
        Family::Z3 => Some(vec![format!("smt.random_seed={seed}"), format!("sat.random_seed={seed}")]),
        Family::Cvc5 | Family::Cvc5Gpl => Some(vec![format!("--seed={seed}")]),
        Family::Cvc4 => Some(vec![format!("--random-seed={seed}")]),
        Family::Bitwuzla | Family::Boolector => Some(vec![format!("--seed={seed}")]),
        Family::Yices | Family::Smelt | Family::Generic => None,
    }
}

/// The option that starts a release of cvc5 in safe mode, and the one that says that it is not.
pub const SAFE: &str = "--safe-mode=safe";
/// See [`SAFE`].
pub const NOT_SAFE: &str = "--safe-mode=unrestricted";

/// Whether a solver is started with options besides those with which every solver of its family is: then it gets these
/// and no others.
pub fn has_options(solver: &Solver) -> bool {
    let usual = solver.family.stdin_args();
    let mut words = solver_args(&solver.invocation.args).iter().map(|arg| arg.to_string_lossy());
    words.any(|word| word.starts_with('-') && !usual.contains(&&*word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Invocation;

    #[test]
    fn what_makes_a_solver_read_its_input_is_not_an_option() {
        let has = |args: &[&str]| {
            let args = args.iter().map(Into::into).collect();
            let invocation =
                Invocation { program: "/bin/cvc5".into(), args, environment: Vec::new(), is_confined: false };
            has_options(&Solver { name: "cvc5".to_owned(), family: Family::Cvc5, invocation })
        };
        assert!(!has(&[]));
        assert!(!has(&["--lang=smt2"]));
        assert!(!has(&["/somewhere/driver.py"]));
        assert!(has(&["--lang=smt2", "--fp-exp"]));
        assert!(!has(&["-ISB", "/somewhere/driver.py", "--lang=smt2"]));
        assert!(has(&["-ISB", "/somewhere/driver.py", NOT_SAFE]));
    }

    #[test]
    fn no_set_is_there_twice_or_has_empty_words() {
        for family in Family::ALL {
            let sets = option_sets(family);
            for (number, set) in sets.iter().enumerate() {
                assert!(!sets[..number].contains(set), "{set}");
                assert!(set.split(' ').all(|word| !word.is_empty()), "{set}");
            }
        }
    }

    #[test]
    fn options_that_change_what_a_formula_means_are_not_offered() {
        let all: Vec<&str> =
            Family::ALL.into_iter().flat_map(option_sets).flat_map(|set| set.split(' ')).collect();
        for word in ["smt.arith.solver=0", "smt.arith.solver=3", "--global-negate", "--solve-int-as-bv"] {
            assert!(!all.iter().any(|option| option.starts_with(word)), "{word}");
        }
    }
}
