//! The text of a script printed anew: in either dialect, with names as they are or short ones.

use crate::diagnostic::{Diagnostic, Problem};
use crate::op::Dialect;
use crate::print::{Layout, Printer};
use crate::read::read_script;
use crate::rename::rename_declared;
use crate::script::{Command, Script};
use crate::term::Terms;

/// How a script is to be printed.
#[derive(Debug, Clone, Copy)]
pub struct Conversion {
    /// In which dialect; none for that of the text.
    pub dialect: Option<Dialect>,
    /// With `let` for what repeats itself, or without.
    pub layout: Layout,
    /// Whether declared symbols get short names.
    pub is_renamed: bool,
}

/// A script that was printed.
#[derive(Debug)]
pub struct Converted {
    /// The text.
    pub text: String,
    /// Names that are not known.
    pub warnings: Vec<Diagnostic>,
    /// Whether nothing in the text shows that its escapes are those of the old dialect.
    pub is_ambiguous: bool,
}

impl Conversion {
    /// Prints a text anew; the problems if it has others than names that are not known.
    pub fn apply(&self, source: &str) -> Result<Converted, Vec<Diagnostic>> {
        let mut terms = Terms::new();
        let mut reading = read_script(&mut terms, source);
        let is_error = |diagnostic: &Diagnostic| diagnostic.problem != Problem::UnknownName;
        if reading.diagnostics.iter().any(is_error) {
            return Err(reading.diagnostics.into_iter().filter(is_error).collect());
        }
        let script = &mut reading.script;
        if self.is_renamed {
            rename_declared(&mut terms, script);
        }
        if let Some(dialect) = self.dialect {
            script.dialect = dialect;
            state_version(&mut terms, script);
        }
        let mut printer = Printer::new(&mut terms, script.dialect, self.layout);
        printer.script(script);
        let text = printer.finish();
        let is_old = script.dialect == Dialect::V25;
        let is_ambiguous =
            is_old && text.contains('\\') && read_script(&mut terms, &text).script.dialect != Dialect::V25;
        Ok(Converted { text, warnings: reading.diagnostics, is_ambiguous })
    }
}

/// Makes a script that names its version name the one that it is printed in: some solvers choose their parser by it.
fn state_version(terms: &mut Terms, script: &mut Script) {
    let keyword = terms.symbols.intern(":smt-lib-version");
    let version = terms.symbols.intern(script.dialect.version());
    for position in 0..script.commands.len() {
        if let Command::SetInfo(found, Some(_)) = script.commands[position]
            && found == keyword
        {
            script.replace(position, Command::SetInfo(keyword, Some(version)));
        }
    }
}
