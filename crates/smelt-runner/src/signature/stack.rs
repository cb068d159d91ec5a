//! Stack traces as sanitizers print them, without the frames of the runtime, the C library and the C++ library.
//!
//! A frame is the name of its function: lines move with every change of a file, and arguments of templates differ where
//! the mistake is the same.

/// Frames of the program, the innermost first.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stack(Vec<String>);

/// So many frames tell one bug from another.
const MAX_FRAMES: usize = 3;

/// So many lines may stand between the first line of a report and its stack.
const MAX_HEAD: usize = 8;

impl Stack {
    /// The first stack in some lines.
    pub(crate) fn read(lines: &[&str]) -> Stack {
        let head = lines.iter().take(MAX_HEAD).take_while(|line| !is_frame(line)).count();
        let frames = lines[head..].iter().take_while(|line| is_frame(line));
        Stack(frames.filter_map(|line| frame(line)).collect())
    }

    /// The frames next to the failure.
    pub(super) fn innermost(self) -> Vec<String> {
        let mut frames = self.0;
        frames.truncate(MAX_FRAMES);
        frames
    }

    /// The same, a function that calls itself once.
    pub(crate) fn folded(mut self) -> Vec<String> {
        self.0.dedup();
        self.innermost()
    }

    /// The functions that call each other again and again. Which of them the stack ended in is chance, so they are
    /// ordered by name.
    pub(crate) fn recursion(self) -> Vec<String> {
        let is_repeated = |name: &&String| self.0.iter().filter(|other| other == name).count() > 1;
        let mut repeated: Vec<String> = self.0.iter().filter(is_repeated).cloned().collect();
        repeated.sort();
        repeated.dedup();
        if repeated.is_empty() {
            return self.innermost();
        }
        repeated.truncate(MAX_FRAMES);
        repeated
    }
}

/// Both sides of a data race, whichever came first.
pub(super) fn of_accesses(lines: &[&str]) -> Vec<String> {
    let end = lines.iter().position(|line| line.starts_with("SUMMARY: ")).unwrap_or(lines.len());
    let lines = &lines[..end];
    let accesses = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.contains(" of size ") && line.trim_end().ends_with(':'));
    let mut places: Vec<String> = accesses
        .take(2)
        .filter_map(|(number, _)| Stack::read(&lines[number + 1..]).0.into_iter().next())
        .collect();
    if places.is_empty() {
        // A deadlock, a leaked thread: no access.
        places = Stack::read(lines).innermost();
    }
    places.sort();
    places.dedup();
    places
}

/// `    #0 0x558900e76625 in copy_name a.c:9`, or without the address.
fn is_frame(line: &str) -> bool {
    let rest = line.trim_start();
    rest.strip_prefix('#').is_some_and(|rest| rest.starts_with(|digit: char| digit.is_ascii_digit()))
}

/// The function of a frame; none if it is not of the program. Without a name it is the place in the file.
fn frame(line: &str) -> Option<String> {
    let (_, rest) = line.trim_start().split_once(' ')?;
    let mut rest = rest.trim();
    if rest.starts_with("0x") {
        rest = rest.split_once(' ').map_or("", |(_, rest)| rest).trim_start();
        rest = rest.strip_prefix("in ").unwrap_or(rest);
    }
    // `(program+0x1277) (BuildId: 94702793)`.
    let mut module = None;
    if let Some(start) = rest.find("(BuildId: ") {
        rest = rest[..start].trim_end();
    }
    if rest.ends_with(')')
        && let Some(start) = rest.rfind('(')
        && rest[start..].contains("+0x")
    {
        module = Some(&rest[start + 1..rest.len() - 1]);
        rest = rest[..start].trim_end();
    }
    let (function, location) = match rest.rsplit_once(' ') {
        Some((function, location)) if is_location(location) => (function, location),
        _ => (rest, ""),
    };
    let module_name = module.map(|module| module.rsplit('/').next().unwrap_or(module));
    if is_library(location, module_name.unwrap_or_default()) || is_runtime(function) {
        return None;
    }
    if function.is_empty() || function == "<null>" {
        return module_name.map(str::to_owned);
    }
    Some(function_name(function))
}

/// `/src/a.c:9`, `a.cpp:9:3`, `<null>`.
fn is_location(word: &str) -> bool {
    let ends_in_number =
        word.rsplit_once(':').is_some_and(|(_, number)| !number.is_empty() && number.parse::<u32>().is_ok());
    ends_in_number || word == "<null>" || word.starts_with('/') && word.contains('.')
}

fn is_library(location: &str, module: &str) -> bool {
    const FOLDERS: [&str; 7] = [
        "/libsanitizer/",
        "/compiler-rt/",
        "/include/c++/",
        "/sysdeps/",
        "/csu/",
        "/rustc/",
        "/libstdc++-v3/",
    ];
    const MODULES: [&str; 12] = [
        "libc.so",
        "libc-",
        "libstdc++",
        "libc++",
        "libasan",
        "libubsan",
        "libtsan",
        "liblsan",
        "libm.so",
        "libpthread",
        "ld-linux",
        "libgcc_s",
    ];
    FOLDERS.iter().any(|folder| location.contains(folder))
        || MODULES.iter().any(|name| module.starts_with(name))
}

/// Whether a function is of the sanitizer, the C library or a standard library.
fn is_runtime(function: &str) -> bool {
    const STARTS: [&str; 26] = [
        "__interceptor_",
        "___interceptor_",
        "__asan",
        "__ubsan",
        "__sanitizer",
        "__msan",
        "__tsan",
        "__lsan",
        "__hwasan",
        "__libc_",
        "__GI_",
        "__pthread",
        "__assert",
        "__cxa_",
        "__gnu_cxx::",
        "__cxxabiv1::",
        "__rustc::",
        "__rust_",
        "std::",
        "core::",
        "alloc::",
        "<core::",
        "<alloc::",
        "<std::",
        "operator new",
        "operator delete",
    ];
    const NAMES: [&str; 40] = [
        "malloc",
        "calloc",
        "realloc",
        "free",
        "memalign",
        "posix_memalign",
        "aligned_alloc",
        "strdup",
        "strndup",
        "memcpy",
        "memmove",
        "memset",
        "memcmp",
        "memchr",
        "strcpy",
        "strncpy",
        "strcat",
        "strncat",
        "strlen",
        "strnlen",
        "strcmp",
        "strncmp",
        "strchr",
        "strrchr",
        "strstr",
        "strtol",
        "strtoul",
        "printf",
        "fprintf",
        "snprintf",
        "vsnprintf",
        "abort",
        "raise",
        "gsignal",
        "pthread_kill",
        "pthread_create",
        "start_thread",
        "clone",
        "clone3",
        "_start",
    ];
    STARTS.iter().any(|start| function.starts_with(start))
        || NAMES.contains(&function)
        || function == "rust_begin_unwind"
}

/// A function without its result, parameters and arguments of templates, and without what compilers add to its name.
pub(super) fn function_name(text: &str) -> String {
    const ANONYMOUS: &str = "(anonymous namespace)";
    let mut name = String::with_capacity(text.len());
    let mut rest = text.trim();
    // `<solver::Heap as Trait>::push` of Rust.
    if let Some(inside) = rest.strip_prefix('<')
        && let Some((owner, method)) =
            inside.split_once(" as ").and_then(|(owner, rest)| Some((owner, rest.rsplit_once(">::")?.1)))
    {
        return format!("{}::{method}", function_name(owner));
    }
    let mut depth = 0_usize;
    while let Some(first) = rest.chars().next() {
        let mut taken = first.len_utf8();
        let starts_word = !name.ends_with(|last: char| last.is_alphanumeric() || last == '_');
        match first {
            _ if depth == 0 && rest.starts_with(ANONYMOUS) => {
                taken = ANONYMOUS.len();
                name.push_str(ANONYMOUS);
            }
            'o' if depth == 0 && starts_word && rest.starts_with("operator") => {
                taken = operator_length(rest);
                name.push_str(&rest[..taken].replace(' ', OPERATOR_BLANK));
            }
            '<' | '(' => depth += 1,
            '>' | ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => name.push(first),
            _ => {}
        }
        rest = &rest[taken..];
    }
    let name = name.replace("(anonymous namespace)", "(anonymous)");
    let name = name.trim_end().trim_end_matches(" const").trim_end();
    let name = name.split("[abi:").next().unwrap_or(name);
    // Before the name stands the result, if anything.
    let name =
        name.rsplit(' ').next().unwrap_or(name).trim_start_matches(['*', '&']).replace(OPERATOR_BLANK, " ");
    let is_suffix = |suffix: &str| {
        let is_clone = ["part", "constprop", "isra", "cold", "lto_priv", "llvm"].contains(&suffix);
        is_clone || !suffix.is_empty() && suffix.chars().all(|digit| digit.is_ascii_digit())
    };
    let mut name = name.as_str();
    while let Some((before, suffix)) = name.rsplit_once('.')
        && is_suffix(suffix)
    {
        name = before;
    }
    // What the Rust compiler adds.
    if let Some((before, hash)) = name.rsplit_once("::h")
        && hash.len() == 16
        && hash.chars().all(|digit| digit.is_ascii_hexdigit())
    {
        name = before;
    }
    name.to_owned()
}

/// Keeps `operator new` together.
const OPERATOR_BLANK: &str = "\u{1}";

/// How long the name of an operator is that a text begins with.
fn operator_length(text: &str) -> usize {
    const WORD: usize = "operator".len();
    let rest = &text[WORD..];
    if rest.starts_with("()") {
        return WORD + 2;
    }
    let is_sign = |character: char| "<>=!+-*/%^&|~[],".contains(character);
    let signs = rest.len() - rest.trim_start_matches(is_sign).len();
    if signs > 0 {
        return WORD + signs;
    }
    match rest.strip_prefix(' ') {
        Some(named) => {
            let is_part = |character: char| character.is_alphanumeric() || "_:[]".contains(character);
            WORD + 1 + named.len() - named.trim_start_matches(is_part).len()
        }
        None => WORD,
    }
}
