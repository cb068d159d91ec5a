//! From paths to texts, for seeds and for all commands that read scripts: folders are searched, files are read, and what cannot be read is explained.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use smelt_smtlib::source::{LineColumn, line_column};

/// One text to work on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptInput {
    /// A file.
    File(PathBuf),
    /// Standard input, written `-`.
    Stdin,
}

impl ScriptInput {
    /// The name that users know it by.
    pub fn name(&self) -> String {
        match self {
            ScriptInput::File(path) => path.display().to_string(),
            ScriptInput::Stdin => "-".to_owned(),
        }
    }
}

/// An input that gives no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableInput {
    /// The name of the input.
    pub name: String,
    /// Where in the input the problem is, if it has a place.
    pub place: Option<LineColumn>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl UnreadableInput {
    fn new(name: String, message: impl Into<String>, help: impl Into<String>) -> Self {
        UnreadableInput { name, place: None, message: message.into(), help: Some(help.into()) }
    }
}

/// The extension of the files that are looked for in folders.
const EXTENSION: &str = "smt2";

/// Spans have 32 bits, so longer texts cannot be read.
const MAX_BYTES: u64 = u32::MAX as u64;

/// What does not say how long it is may have no end.
const MAX_STREAM_BYTES: u64 = 1 << 30;

/// Finds the inputs that paths stand for: a file is itself, a folder is all its `.smt2` files, sorted, `-` is standard
/// input. What cannot be found keeps its place in the order.
pub fn collect(paths: &[PathBuf]) -> Vec<Result<ScriptInput, UnreadableInput>> {
    let mut inputs = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            inputs.push(if inputs.contains(&Ok(ScriptInput::Stdin)) {
                Err(UnreadableInput::new(
                    "-".to_owned(),
                    "standard input can be read only once",
                    "remove the second `-`",
                ))
            } else {
                Ok(ScriptInput::Stdin)
            });
        } else if path.is_dir() {
            collect_folder(path, &mut inputs);
        } else {
            inputs.push(Ok(ScriptInput::File(path.clone())));
        }
    }
    inputs
}

fn collect_folder(folder: &Path, inputs: &mut Vec<Result<ScriptInput, UnreadableInput>>) {
    let before = inputs.len();
    let mut files = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                inputs.push(Err(unreadable_file(&folder, &error)));
                continue;
            }
        };
        for entry in entries.flatten() {
            let path = entry.path();
            // Links to folders are not followed: they may lead back to where they are.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == EXTENSION) && may_be_file(&path) {
                files.push(path);
            }
        }
    }
    if files.is_empty() && inputs.len() == before {
        inputs.push(Err(UnreadableInput::new(
            folder.display().to_string(),
            format!("no `.{EXTENSION}` files in this folder"),
            "name the files themselves if they end differently",
        )));
    }
    files.sort();
    inputs.extend(files.into_iter().map(|path| Ok(ScriptInput::File(path))));
}

/// Whether a path found in a folder leads to a regular file, or to nothing, which is reported when it is read. Reading a
/// FIFO or a device may take forever, so these are read only if users name them.
fn may_be_file(path: &Path) -> bool {
    fs::metadata(path).map_or(true, |metadata| metadata.is_file())
}

/// An input that was collected, with its text.
pub fn read_collected(
    input: &Result<ScriptInput, UnreadableInput>,
) -> Result<(ScriptInput, String), UnreadableInput> {
    let input = input.clone()?;
    let text = read(&input)?;
    Ok((input, text))
}

/// Reads the text of an input.
pub fn read(input: &ScriptInput) -> Result<String, UnreadableInput> {
    let bytes = match input {
        ScriptInput::File(path) => read_file(path).map_err(|error| unreadable_file(path, &error))?,
        ScriptInput::Stdin => read_at_most(io::stdin().lock(), MAX_STREAM_BYTES).map_err(|error| {
            UnreadableInput::new(input.name(), error.to_string(), "check what is piped in")
        })?,
    };
    match bytes {
        Bytes::All(bytes) => {
            text_of(bytes).map_err(|problem| UnreadableInput { name: input.name(), ..problem })
        }
        Bytes::MoreThan(MAX_STREAM_BYTES) => Err(UnreadableInput::new(
            input.name(),
            "no end after 1 GiB",
            "smelt reads at most 1 GiB from a pipe or a device: write it to a file",
        )),
        Bytes::MoreThan(_) => Err(UnreadableInput::new(
            input.name(),
            "the text has 4 GiB or more",
            "split the script: smelt reads texts of less than 4 GiB",
        )),
    }
}

/// What was read of an input.
#[derive(Debug, PartialEq, Eq)]
enum Bytes {
    /// All of it, or the start of what is a binary file.
    All(Vec<u8>),
    /// Nothing is kept of an input with more bytes than this.
    MoreThan(u64),
}

fn read_file(path: &Path) -> io::Result<Bytes> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return read_at_most(file, MAX_STREAM_BYTES);
    }
    if metadata.len() > MAX_BYTES { Ok(Bytes::MoreThan(MAX_BYTES)) } else { read_at_most(file, MAX_BYTES) }
}

/// Reads no more than the start of a binary file: it may be a device without an end, or sparse.
fn read_at_most(source: impl Read, max_bytes: u64) -> io::Result<Bytes> {
    let mut source = source.take(max_bytes + 1);
    let mut bytes = Vec::new();
    source.by_ref().take(BINARY_PREFIX as u64).read_to_end(&mut bytes)?;
    if !bytes.contains(&0) {
        source.read_to_end(&mut bytes)?;
    }
    Ok(if bytes.len() as u64 <= max_bytes { Bytes::All(bytes) } else { Bytes::MoreThan(max_bytes) })
}

fn unreadable_file(path: &Path, error: &io::Error) -> UnreadableInput {
    let (message, help) = match error.kind() {
        io::ErrorKind::NotFound => ("no such file or folder".to_owned(), "check the spelling of the path"),
        io::ErrorKind::PermissionDenied => {
            ("permission denied".to_owned(), "make it readable for your user (`chmod +r`)")
        }
        _ => (error.to_string(), "check that the path names a file"),
    };
    UnreadableInput::new(path.display().to_string(), message, help)
}

/// The first bytes of compressed files, and what unpacks them.
const COMPRESSED: &[(&[u8], &str)] = &[
    (b"\x1f\x8b", "gunzip"),
    (b"\x28\xb5\x2f\xfd", "unzstd"),
    (b"\xfd7zXZ", "unxz"),
    (b"BZh", "bunzip2"),
    (b"PK\x03\x04", "unzip"),
];

/// A NUL among this many first bytes tells a binary file from a text.
const BINARY_PREFIX: usize = 8192;

/// Bytes as text. The name of the input is for the caller to fill in.
fn text_of(bytes: Vec<u8>) -> Result<String, UnreadableInput> {
    let problem = |message: &str, help: &str| UnreadableInput::new(String::new(), message, help);
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(problem("the text is UTF-16, not UTF-8", "convert it with `iconv -f UTF-16 -t UTF-8`"));
    }
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return Err(problem(
            "the text starts with a byte order mark, which SMT-LIB does not allow",
            "remove its first three bytes, for example with `tail -c +4`",
        ));
    }
    let nul = bytes.iter().take(BINARY_PREFIX).position(|byte| *byte == 0);
    if let Some((_, tool)) = COMPRESSED.iter().find(|(magic, _)| bytes.starts_with(magic))
        && (nul.is_some() || std::str::from_utf8(&bytes).is_err())
    {
        return Err(problem("this is a compressed file", &format!("unpack it first with `{tool}`")));
    }
    if let Some(offset) = nul {
        let message = format!("this is a binary file: byte {offset} is NUL");
        return Err(problem(&message, "smelt reads SMT-LIB scripts, which are text"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let byte = error.as_bytes()[offset];
        let before = std::str::from_utf8(&error.as_bytes()[..offset]).unwrap_or_default();
        let message = format!("the text is not UTF-8: byte {offset} is 0x{byte:02x}");
        let help = "if it is Latin-1, convert it with `iconv -f LATIN1 -t UTF-8`; in string literals write `\\u{..}`";
        UnreadableInput { place: Some(line_column(before, before.len() as u32)), ..problem(&message, help) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], message: &str, help: &str) {
        let problem = text_of(bytes.to_vec()).unwrap_err();
        assert!(problem.message.contains(message), "{problem:?}");
        assert!(problem.help.as_deref().unwrap().contains(help), "{problem:?}");
    }

    #[test]
    fn text_is_text() {
        assert_eq!(text_of("(echo \"ä\")".into()).unwrap(), "(echo \"ä\")");
        assert_eq!(text_of(Vec::new()).unwrap(), "");
    }

    #[test]
    fn other_encodings_are_named_with_the_cure() {
        check(b"\xff\xfe(\0", "UTF-16", "iconv");
        check(b"\xef\xbb\xbf(exit)", "byte order mark", "tail");
        check(b"(exit)\n; caf\xe9", "byte 12 is 0xe9", "LATIN1");
    }

    #[test]
    fn compressed_and_binary_files_are_told_apart() {
        check(b"\x1f\x8b\x08\0\0", "compressed", "gunzip");
        check(b"\x7fELF\0\0", "binary", "text");
    }

    #[test]
    fn the_place_of_a_bad_byte_is_known() {
        let problem = text_of(b"(exit)\n; caf\xe9".to_vec()).unwrap_err();
        assert_eq!(problem.place, Some(LineColumn { line: 2, column: 6 }));
    }

    #[test]
    fn reading_stops_at_the_limit() {
        assert_eq!(read_at_most(&b"abc"[..], 3).unwrap(), Bytes::All(b"abc".to_vec()));
        assert_eq!(read_at_most(&b"abcd"[..], 3).unwrap(), Bytes::MoreThan(3));
    }

    #[test]
    fn a_device_without_end_is_read_up_to_its_first_nul() {
        let read = read_at_most(io::repeat(0), u64::MAX - 1).unwrap();
        assert_eq!(read, Bytes::All(vec![0; BINARY_PREFIX]));
    }

    #[test]
    fn a_text_without_end_is_read_up_to_a_limit() {
        assert_eq!(read_at_most(io::repeat(b'x'), 1 << 20).unwrap(), Bytes::MoreThan(1 << 20));
    }
}
