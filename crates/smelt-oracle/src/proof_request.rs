//! Scripts that ask a solver for a proof of an `unsat`.

use smelt_proof::steps::ProofFormat;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::term::Terms;

/// The script with options that make a solver of a family keep a proof, and with a request for it; none if proofs of the
/// family are not understood. The script must be plain: see [`crate::flatten::flatten`].
pub fn proof_request(
    terms: &mut Terms,
    script: &Script,
    family: &str,
    format: Option<ProofFormat>,
) -> Option<Script> {
    let options: &[(&str, &str)] = match (family, format) {
        ("z3", None | Some(ProofFormat::Z3)) => &[(":produce-proofs", "true")],
        ("cvc5", None | Some(ProofFormat::Cpc)) => {
            &[(":produce-proofs", "true"), (":proof-format-mode", "cpc"), (":proof-print-conclusion", "true")]
        }
        ("cvc5", Some(ProofFormat::Alethe)) => {
            &[(":produce-proofs", "true"), (":proof-format-mode", "alethe")]
        }
        // Others may answer what the standard has for it; cvc4 and Yices are known not to.
        ("cvc4" | "yices" | "bitwuzla", _) | (_, Some(_)) => return None,
        _ => &[(":produce-proofs", "true")],
    };
    let mut asking = script.emptied();
    for (name, value) in options {
        let (name, value) = (terms.symbols.intern(name), terms.symbols.intern(value));
        asking.push(Command::SetOption(name, Some(value)));
    }
    script.commands.iter().for_each(|command| asking.push(command.clone()));
    asking.push(Command::GetProof);
    Some(asking)
}

#[cfg(test)]
mod tests {
    use smelt_smtlib::print::script_text;
    use smelt_smtlib::read::read_script;

    use super::*;

    fn asked(family: &str, format: Option<ProofFormat>) -> Option<String> {
        let mut terms = Terms::new();
        let script = read_script(&mut terms, "(assert false)(check-sat)").script;
        let asking = proof_request(&mut terms, &script, family, format)?;
        Some(script_text(&mut terms, &asking))
    }

    #[test]
    fn a_proof_is_asked_for_in_the_words_of_the_family() {
        let z3 = asked("z3", None).unwrap();
        assert_eq!(z3, "(set-option :produce-proofs true)\n(assert false)\n(check-sat)\n(get-proof)\n");
        assert!(asked("cvc5", None).unwrap().contains("(set-option :proof-print-conclusion true)"));
        assert!(asked("cvc5", Some(ProofFormat::Alethe)).unwrap().contains("alethe"));
        assert_eq!(asked("yices", None), None);
        assert_eq!(asked("z3", Some(ProofFormat::Cpc)), None);
    }
}
