//! Runs a solver that comes as a shared library as a program that reads SMT-LIB, without an interpreter.
//!
//! `build.rs` compiles this file alone, without the crate, and smelt carries the program in itself. It is written to the
//! folder `host` of a release, under the name of the solver, and finds the library in the folder `lib` next to that. A
//! library that exports `cvc5_parser_new` is cvc5, from 1.2.0 on; one that exports `boolector_parse_smt2` is Boolector.
//! Why so, and what it saves, is in `docs/design/hosts.md`.
//!
//! `HOST [--OPTION[=VALUE]].. [FILE]` adds no options: all that a solver is run with is on the command line or in the
//! script. Without a file it reads standard input, where text up to a line `(echo "smelt:N")` is one script. One that
//! begins with `(reset)` is run by a child of this process, so that the library is loaded once and nothing is left of the
//! scripts before. Any other continues where the one before has ended, so that formulas can be pushed and popped; there
//! this process ends at the first error, because what comes after it would not mean what it says. What is left at the end
//! of the input is run by this process itself. `cvc5_driver.py` and `bitwuzla_driver.py` do the same.

// Calling libraries is what this program is about. There is no Rust runtime: it would handle the signals of a stack that
// overflows, and a crash of the solver would not be seen as the one that it is.
#![no_main]
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_long, c_uint, c_void};
use std::io::{BufRead, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicI32, Ordering};

/// The beginning of the line that ends a script.
const MARKER: &[u8] = b"(echo \"smelt:";

unsafe extern "C" {
    fn dlopen(path: *const c_char, mode: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
    fn atexit(function: extern "C" fn()) -> c_int;
    fn fflush(stream: *mut c_void) -> c_int;
    fn _exit(status: c_int) -> !;
    fn fork() -> c_int;
    fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn kill(process: c_int, signal: c_int) -> c_int;
    fn getpid() -> c_int;
    fn pause() -> c_int;
    fn dup(file: c_int) -> c_int;
    fn dup2(from: c_int, to: c_int) -> c_int;
    fn memfd_create(name: *const c_char, flags: c_uint) -> c_int;
    fn pread(file: c_int, buffer: *mut c_void, size: usize, offset: c_long) -> isize;
    fn read(file: c_int, buffer: *mut c_void, size: usize) -> isize;
    fn write(file: c_int, buffer: *const c_void, size: usize) -> isize;
    fn fopencookie(cookie: *mut c_void, mode: *const c_char, functions: CookieFunctions) -> *mut c_void;
    static stdout: *mut c_void;
}

const RTLD_LAZY: c_int = 1;
const RTLD_GLOBAL: c_int = 0x100;

/// What the C library calls to read from a stream of ours.
#[repr(C)]
struct CookieFunctions {
    read: Option<extern "C" fn(*mut c_void, *mut c_char, usize) -> isize>,
    write: Option<extern "C" fn(*mut c_void, *const c_char, usize) -> isize>,
    seek: Option<extern "C" fn(*mut c_void, *mut i64, c_int) -> c_int>,
    close: Option<extern "C" fn(*mut c_void) -> c_int>,
}

#[unsafe(no_mangle)]
extern "C" fn main(_: c_int, _: *const *const c_char) -> c_int {
    let mut options = Vec::new();
    let mut file = None;
    for argument in std::env::args_os().skip(1) {
        match argument.as_bytes().starts_with(b"-") {
            true => options.push(argument.as_bytes().to_vec()),
            false => file = Some(PathBuf::from(argument)),
        }
    }
    let library = match Library::load() {
        Ok(library) => library,
        Err(Problem(problem)) => fail(&problem),
    };
    // SAFETY: the function is one of ours, takes nothing and does not unwind: panics abort.
    unsafe { atexit(at_exit) };
    if options.iter().any(|option| option == b"--version") {
        say(format!("{}\n", library.version()).as_bytes());
        end(0);
    }
    let host = Host { library, options };
    match file {
        Some(file) => match std::fs::read(&file) {
            Ok(script) => drop(host.run(None, &script)),
            Err(error) => fail(&format!("{}: {error}", file.display())),
        },
        None => host.converse(),
    }
    end(0)
}

/// Says why nothing can be run, and ends.
fn fail(problem: &str) -> ! {
    // That it cannot be said is no reason to go on.
    let _ = writeln!(std::io::stderr(), "{problem}");
    end(2)
}

/// Prints bytes at once, after what the library has printed. There is no use in running for an output that is closed.
fn say(text: &[u8]) {
    let mut rest = text;
    // SAFETY: without a stream, all streams of the C library are flushed.
    unsafe { fflush(null_mut()) };
    while !rest.is_empty() {
        // SAFETY: the pointer and the size are those of a slice.
        let count = unsafe { write(1, rest.as_ptr().cast(), rest.len()) };
        match usize::try_from(count) {
            Ok(count) => rest = &rest[count..],
            Err(_) if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => end(1),
        }
    }
}

/// Prints an error as solvers do. Quotes and line breaks would end the message.
fn say_error(text: &[u8]) {
    let text = String::from_utf8_lossy(text).replace('"', "'").replace('\n', " ");
    say(format!("(error \"{text}\")\n").as_bytes());
}

/// Ends without taking apart what the library holds: some releases crash there.
fn end(status: c_int) -> ! {
    // SAFETY: the C library is there until the process ends.
    unsafe {
        fflush(null_mut());
        _exit(status)
    }
}

/// Why a library cannot be loaded.
struct Problem(String);

/// A library that was loaded.
#[derive(Clone, Copy)]
enum Library {
    Cvc5(Cvc5),
    Boolector(Boolector),
}

impl Library {
    /// Loads what is in the folder `lib` next to the one that this program is in.
    fn load() -> Result<Library, Problem> {
        let program = std::env::current_exe().map_err(|error| Problem(error.to_string()))?;
        let folder = program.parent().and_then(Path::parent).unwrap_or(Path::new("/")).join("lib");
        let mut files = Vec::new();
        for entry in list(&folder).into_iter().filter(|entry| entry.is_dir()) {
            files.extend(list(&entry));
        }
        let named = |start: &str| {
            let is_named = |file: &&PathBuf| {
                file.file_name().is_some_and(|name| name.as_bytes().starts_with(start.as_bytes()))
            };
            files.iter().find(is_named)
        };
        if let (Some(library), Some(parser)) = (named("libcvc5-"), named("libcvc5parser-")) {
            return Ok(Library::Cvc5(Cvc5::of(open(library)?, open(parser)?)?));
        }
        match named("libboolector-") {
            Some(library) => Ok(Library::Boolector(Boolector::of(open(library)?)?)),
            None => Err(Problem(format!("{}: no library of a solver", folder.display()))),
        }
    }

    fn version(self) -> String {
        let text = match self {
            // SAFETY: both functions take a solver and give a string that lives as long as it, or for ever.
            Library::Cvc5(cvc5) => unsafe { (cvc5.version)((cvc5.solver_new)((cvc5.manager_new)())) },
            // SAFETY: see above.
            Library::Boolector(boolector) => unsafe { (boolector.version)((boolector.new)()) },
        };
        String::from_utf8_lossy(text_at(text)).into_owned()
    }
}

fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.sort();
    files
}

/// A library whose symbols can be looked up.
#[derive(Clone, Copy)]
struct Opened(*mut c_void);

fn open(path: &Path) -> Result<Opened, Problem> {
    let name = CString::new(path.as_os_str().as_bytes()).map_err(|error| Problem(error.to_string()))?;
    // SAFETY: the path ends with a zero byte. Loading runs the constructors of the library, which is what we want.
    let handle = unsafe { dlopen(name.as_ptr(), RTLD_LAZY | RTLD_GLOBAL) };
    match handle.is_null() {
        // SAFETY: after a failure there is a message.
        true => Err(Problem(String::from_utf8_lossy(text_at(unsafe { dlerror() })).into_owned())),
        false => Ok(Opened(handle)),
    }
}

impl Opened {
    /// The function with a name, whose type the caller knows.
    fn function<F: Copy>(self, name: &str) -> Result<F, Problem> {
        self.optional(name)?.ok_or_else(|| Problem(format!("the library has no function `{name}`")))
    }

    fn optional<F: Copy>(self, name: &str) -> Result<Option<F>, Problem> {
        assert_eq!(size_of::<F>(), size_of::<*mut c_void>(), "functions are pointers");
        let text = CString::new(name).map_err(|error| Problem(error.to_string()))?;
        // SAFETY: the handle is that of a library that stays loaded, and the name ends with a zero byte.
        let address = unsafe { dlsym(self.0, text.as_ptr()) };
        // SAFETY: a function pointer has the size of the address, and the caller gives the type that the interface of
        // the library documents.
        Ok((!address.is_null()).then(|| unsafe { std::mem::transmute_copy(&address) }))
    }
}

/// The bytes of a string of the library.
fn text_at<'t>(text: *const c_char) -> &'t [u8] {
    // SAFETY: the libraries give strings that end with a zero byte and stay until the next call of the same function;
    // each is used or copied before.
    if text.is_null() { &[] } else { unsafe { CStr::from_ptr(text) }.to_bytes() }
}

/// An object of a library.
type Object = *mut c_void;

/// The functions of the C interface of cvc5 that are used.
#[derive(Clone, Copy)]
struct Cvc5 {
    manager_new: unsafe extern "C" fn() -> Object,
    solver_new: unsafe extern "C" fn(Object) -> Object,
    version: unsafe extern "C" fn(Object) -> *const c_char,
    set_option: unsafe extern "C" fn(Object, *const c_char, *const c_char),
    parser_new: unsafe extern "C" fn(Object, Object) -> Object,
    parser_symbols: unsafe extern "C" fn(Object) -> Object,
    set_input: unsafe extern "C" fn(Object, c_int, *const c_char, *const c_char),
    next_command: unsafe extern "C" fn(Object, *mut *const c_char) -> Object,
    invoke: unsafe extern "C" fn(Object, Object, Object) -> *const c_char,
    name: unsafe extern "C" fn(Object) -> *const c_char,
    /// From 1.4.0 on an error is kept until the next call. Before, it is printed and the process exits.
    has_error: Option<unsafe extern "C" fn() -> bool>,
    error_message: Option<unsafe extern "C" fn() -> *const c_char>,
}

/// `CVC5_INPUT_LANGUAGE_SMT_LIB_2_6`.
const SMT_LIB: c_int = 0;

/// What an error of a release that exits begins with.
const CVC5_ERROR: &[u8] = b"cvc5: error: ";

impl Cvc5 {
    fn of(library: Opened, parser: Opened) -> Result<Cvc5, Problem> {
        Ok(Cvc5 {
            manager_new: library.function("cvc5_term_manager_new")?,
            solver_new: library.function("cvc5_new")?,
            version: library.function("cvc5_get_version")?,
            set_option: library.function("cvc5_set_option")?,
            parser_new: parser.function("cvc5_parser_new")?,
            parser_symbols: parser.function("cvc5_parser_get_sm")?,
            set_input: parser.function("cvc5_parser_set_str_input")?,
            next_command: parser.function("cvc5_parser_next_command")?,
            invoke: parser.function("cvc5_cmd_invoke")?,
            name: parser.function("cvc5_cmd_get_name")?,
            has_error: library.optional("cvc5_has_error")?,
            error_message: library.optional("cvc5_get_error_message")?,
        })
    }

    /// The error of the last call, if it had one.
    fn check(&self) -> Result<(), Vec<u8>> {
        let (Some(has_error), Some(message)) = (self.has_error, self.error_message) else { return Ok(()) };
        // SAFETY: both take nothing, and the message stays until the next call.
        unsafe { if has_error() { Err(text_at(message()).to_vec()) } else { Ok(()) } }
    }

    /// Calls what may find an error that is not the script's. Where that makes the process exit, the message is caught.
    fn guarded<T>(&self, call: impl FnOnce() -> T) -> Result<T, Vec<u8>> {
        if self.has_error.is_some() {
            let result = call();
            return self.check().map(|()| result);
        }
        let caught = Caught::begin();
        let result = call();
        caught.end();
        Ok(result)
    }
}

/// Where standard error is while it goes to memory; -1 while it does not.
static CAUGHT: AtomicI32 = AtomicI32::new(-1);

/// Standard error, caught in memory while options are set, as long as the library can do nothing but complain of them.
struct Caught {
    saved: c_int,
}

impl Caught {
    fn begin() -> Caught {
        // SAFETY: the name ends with a zero byte; the calls take numbers of files, and fail if these are wrong.
        unsafe {
            let (memory, saved) = (memfd_create(c"errors".as_ptr(), 0), dup(2));
            if memory >= 0 && saved >= 0 {
                dup2(memory, 2);
                CAUGHT.store(memory, Ordering::Relaxed);
            }
            Caught { saved }
        }
    }

    fn end(self) {
        if CAUGHT.swap(-1, Ordering::Relaxed) >= 0 {
            // SAFETY: see above. That the memory stays until the process ends costs nothing.
            unsafe { dup2(self.saved, 2) };
        }
    }
}

/// Runs before anything is taken apart when the library exits by itself: says why.
extern "C" fn at_exit() {
    let memory = CAUGHT.swap(-1, Ordering::Relaxed);
    if memory < 0 {
        return;
    }
    let mut text = vec![0; 1 << 16];
    // SAFETY: the pointer and the size are those of the vector.
    let count = unsafe { pread(memory, text.as_mut_ptr().cast(), text.len(), 0) };
    text.truncate(usize::try_from(count).unwrap_or(0));
    let text = text.strip_prefix(CVC5_ERROR).unwrap_or(&text);
    say_error(text.trim_ascii_end());
    end(0);
}

/// A cvc5 with what it was told so far.
struct Cvc5Session {
    cvc5: Cvc5,
    solver: Object,
    parser: Object,
    symbols: Object,
}

impl Cvc5Session {
    fn new(cvc5: Cvc5, options: &[Vec<u8>], first_script: &[u8]) -> Result<Cvc5Session, Vec<u8>> {
        // The programming interface is incremental by default, the command line is not.
        let is_incremental = if is_incremental(first_script) { c"true" } else { c"false" };
        // SAFETY: the types are those of the interface, the strings end with zero bytes, and no object is ever deleted.
        unsafe {
            let solver = (cvc5.solver_new)((cvc5.manager_new)());
            cvc5.guarded(|| (cvc5.set_option)(solver, c"incremental".as_ptr(), is_incremental.as_ptr()))?;
            for option in options {
                let (name, value) = name_and_value(option);
                // What the command line of cvc5 needs to read SMT-LIB, this program does anyway.
                if name.as_bytes() != b"lang" {
                    cvc5.guarded(|| (cvc5.set_option)(solver, name.as_ptr(), value.as_ptr()))?;
                }
            }
            let parser = (cvc5.parser_new)(solver, null_mut());
            cvc5.check()?;
            let symbols = (cvc5.parser_symbols)(parser);
            Ok(Cvc5Session { cvc5, solver, parser, symbols })
        }
    }

    /// Runs the commands of a script; gives whether another can follow.
    fn run(&self, script: &CStr) -> Result<bool, Vec<u8>> {
        let Cvc5Session { cvc5, solver, parser, symbols } = self;
        let mut can_follow = true;
        // SAFETY: the types are those of the interface; the script stays until it is read, and each command is used
        // before the next is asked for.
        unsafe {
            (cvc5.set_input)(*parser, SMT_LIB, script.as_ptr(), c"script".as_ptr());
            cvc5.check()?;
            loop {
                let mut error: *const c_char = null();
                let command = (cvc5.next_command)(*parser, &mut error);
                if !error.is_null() {
                    return Err([b"Parse Error: ", text_at(error)].concat());
                }
                cvc5.check()?;
                if command.is_null() {
                    return Ok(can_follow);
                }
                let name = text_at((cvc5.name)(command)).to_vec();
                let answer = text_at((cvc5.invoke)(command, *solver, *symbols)).to_vec();
                cvc5.check()?;
                say(&answer);
                can_follow &= !answer.starts_with(b"(error") || name.starts_with(b"get-");
                if name == b"exit" {
                    return Ok(false);
                }
            }
        }
    }
}

/// Whether a script can only be run by a solver that is asked more than once.
fn is_incremental(script: &[u8]) -> bool {
    let count = |word: &[u8]| script.windows(word.len()).filter(|window| *window == word).count();
    count(b"(push") > 0 || count(b"(check-sat-assuming") > 0 || count(b"(check-sat") > 1
}

/// The name and value of `--name=value`. Arguments have no zero bytes.
fn name_and_value(option: &[u8]) -> (CString, CString) {
    let option = option.trim_ascii();
    let start = option.iter().position(|byte| *byte != b'-').unwrap_or(option.len());
    let mut parts = option[start..].splitn(2, |byte| *byte == b'=');
    let name = parts.next().unwrap_or_default();
    let value = parts.next().filter(|value| !value.is_empty()).unwrap_or(b"true");
    let text = |bytes: &[u8]| CString::new(bytes).unwrap_or_default();
    (text(name), text(value))
}

/// The functions of the C interface of Boolector that are used.
#[derive(Clone, Copy)]
struct Boolector {
    new: unsafe extern "C" fn() -> Object,
    version: unsafe extern "C" fn(Object) -> *const c_char,
    has_option: unsafe extern "C" fn(Object, c_int) -> bool,
    option_name: unsafe extern "C" fn(Object, c_int) -> *const c_char,
    option_min: unsafe extern "C" fn(Object, c_int) -> u32,
    option_max: unsafe extern "C" fn(Object, c_int) -> u32,
    set_option: unsafe extern "C" fn(Object, c_int, u32),
    parse: unsafe extern "C" fn(Object, Object, *const c_char, Object, *mut *mut c_char, *mut c_int) -> c_int,
}

/// What a stream of ours gives: bytes that are there already, then standard input if it is to follow.
struct Input {
    bytes: Vec<u8>,
    position: usize,
    is_followed: bool,
}

impl Boolector {
    fn of(library: Opened) -> Result<Boolector, Problem> {
        Ok(Boolector {
            new: library.function("boolector_new")?,
            version: library.function("boolector_version")?,
            has_option: library.function("boolector_has_opt")?,
            option_name: library.function("boolector_get_opt_lng")?,
            option_min: library.function("boolector_get_opt_min")?,
            option_max: library.function("boolector_get_opt_max")?,
            set_option: library.function("boolector_set_opt")?,
            parse: library.function("boolector_parse_smt2")?,
        })
    }

    /// Runs a script and, if it is a session, what comes after it on standard input.
    fn run(&self, options: &[Vec<u8>], script: &[u8], is_session: bool) -> Result<(), Vec<u8>> {
        // SAFETY: the types are those of the interface, and the strings end with zero bytes.
        let solver = unsafe { (self.new)() };
        if is_session || is_incremental(script) {
            self.set(solver, b"incremental", b"1")?;
        }
        for option in options {
            let (name, value) = name_and_value(option);
            self.set(solver, name.as_bytes(), value.as_bytes())?;
        }
        let input = Input { bytes: script.to_vec(), position: 0, is_followed: is_session };
        let cookie: *mut Input = Box::into_raw(Box::new(input));
        let functions = CookieFunctions { read: Some(read_input), write: None, seek: None, close: None };
        let (mut error, mut status) = (null_mut(), 0);
        // SAFETY: the cookie is never freed, and the functions are those that belong to it; the rest as above.
        unsafe {
            let stream = fopencookie(cookie.cast(), c"r".as_ptr(), functions);
            let name = c"script".as_ptr();
            (self.parse)(solver, stream, name, stdout, &mut error, &mut status);
        }
        match error.is_null() {
            true => Ok(()),
            false => Err(text_at(error).to_vec()),
        }
    }

    /// Sets an option. The library ends the process if there is none of this name or it does not take the value.
    fn set(&self, solver: Object, name: &[u8], value: &[u8]) -> Result<(), Vec<u8>> {
        // SAFETY: the library knows the number of each option that is asked for its name or limits.
        unsafe {
            let mut option = 0;
            while (self.has_option)(solver, option) && text_at((self.option_name)(solver, option)) != name {
                option += 1;
            }
            let shown = String::from_utf8_lossy(name);
            if !(self.has_option)(solver, option) {
                return Err(format!("invalid option '{shown}'").into_bytes());
            }
            let number = match value {
                b"true" => Some(1),
                b"false" => Some(0),
                digits => std::str::from_utf8(digits).ok().and_then(|digits| digits.parse::<u32>().ok()),
            };
            let range = (self.option_min)(solver, option)..=(self.option_max)(solver, option);
            match number.filter(|number| range.contains(number)) {
                Some(number) => (self.set_option)(solver, option, number),
                None => {
                    let value = String::from_utf8_lossy(value);
                    return Err(format!("invalid value '{value}' for option '{shown}'").into_bytes());
                }
            }
        }
        Ok(())
    }
}

/// Gives the C library the next bytes of a stream.
extern "C" fn read_input(cookie: *mut c_void, buffer: *mut c_char, size: usize) -> isize {
    // SAFETY: the stream was made with such a cookie, which nobody else uses while it is read.
    let input = unsafe { &mut *cookie.cast::<Input>() };
    let rest = &input.bytes[input.position..];
    if rest.is_empty() && input.is_followed {
        // Who waits for answers before sending more must have them.
        // SAFETY: without a stream all are flushed; the buffer has the size that is given with it.
        return unsafe {
            fflush(stdout);
            read(0, buffer.cast(), size)
        };
    }
    let count = rest.len().min(size);
    // SAFETY: the buffer has room for so many bytes, and is not part of ours.
    unsafe { rest.as_ptr().copy_to_nonoverlapping(buffer.cast(), count) };
    input.position += count;
    count.cast_signed()
}

/// A library with the options of the command line.
struct Host {
    library: Library,
    options: Vec<Vec<u8>>,
}

impl Host {
    /// Runs the scripts of standard input.
    fn converse(&self) {
        let mut input = std::io::stdin().lock();
        let mut session = None;
        let mut pending = Vec::new();
        loop {
            let start = pending.len();
            match input.read_until(b'\n', &mut pending) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => fail(&error.to_string()),
            }
            if !pending[start..].starts_with(MARKER) {
                continue;
            }
            let marker = pending.split_off(start);
            if let Some(script) = without_reset(&pending) {
                session = None;
                // The child has nothing to forget, and a reset would undo the options of the command line.
                self.run_in_child(script);
            } else if let Library::Boolector(boolector) = self.library {
                // It forgets what it was told when it has read its input, so it reads the rest itself.
                pending.extend_from_slice(&marker);
                pending.extend_from_slice(input.fill_buf().unwrap_or_default());
                let failed = boolector.run(&self.options, &pending, true);
                failed.unwrap_or_else(|error| {
                    say_error(&error);
                    end(1)
                });
                return;
            } else {
                session = self.run(session, &pending);
                if session.is_none() {
                    end(1);
                }
            }
            // `(echo "smelt:N")` without what is around the text.
            let text = marker.trim_ascii_end();
            say(&[text.get(7..text.len().saturating_sub(2)).unwrap_or_default(), b"\n"].concat());
            pending.clear();
        }
        let script = without_reset(&pending).unwrap_or(&pending);
        if !script.is_empty() {
            self.run(session, script);
        }
    }

    /// Runs a script in a session, or in a new one; gives the session, or none if it cannot be asked more.
    fn run(&self, session: Option<Cvc5Session>, script: &[u8]) -> Option<Cvc5Session> {
        let ran = match self.library {
            Library::Boolector(boolector) => boolector.run(&self.options, script, false).map(|()| None),
            Library::Cvc5(cvc5) => self.run_cvc5(cvc5, session, script),
        };
        ran.unwrap_or_else(|error| {
            say_error(&error);
            None
        })
    }

    fn run_cvc5(
        &self,
        cvc5: Cvc5,
        session: Option<Cvc5Session>,
        script: &[u8],
    ) -> Result<Option<Cvc5Session>, Vec<u8>> {
        // What comes after it would not be read, and the answer would be one to another script.
        let script = CString::new(script).map_err(|_| b"Parse Error: the script has a zero byte".to_vec())?;
        let session = match session {
            Some(session) => session,
            None => Cvc5Session::new(cvc5, &self.options, script.as_bytes())?,
        };
        Ok(session.run(&script)?.then_some(session))
    }

    fn run_in_child(&self, script: &[u8]) {
        // Nothing may be printed twice.
        say(b"");
        // SAFETY: this process has one thread.
        let child = unsafe { fork() };
        if child == 0 {
            self.run(None, script);
            end(0);
        }
        if child < 0 {
            fail(&std::io::Error::last_os_error().to_string());
        }
        let mut status = 0;
        // SAFETY: the status is a variable of ours. A signal may interrupt the call.
        while unsafe { waitpid(child, &mut status, 0) } < 0 {}
        let signal = status & 0x7f;
        if signal != 0 {
            // A crash of the child is seen as one of this process.
            // SAFETY: a process may send itself any signal, and waits for it.
            unsafe {
                kill(getpid(), signal);
                pause();
            }
        }
    }
}

/// The script after a first line `(reset)`, if it has one.
fn without_reset(script: &[u8]) -> Option<&[u8]> {
    let end = script.iter().position(|byte| *byte == b'\n').map_or(script.len(), |position| position + 1);
    let (first, rest) = script.split_at(end);
    (first.trim_ascii() == b"(reset)").then_some(rest)
}
