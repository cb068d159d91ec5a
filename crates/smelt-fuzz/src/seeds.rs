//! What fuzzing starts from: the facts of `testdata/facts` as scripts, models that solvers printed, problems for our own
//! solver, and a few texts for what those do not use.

use std::fs;
use std::path::{Path, PathBuf};

use smelt_smtlib::op::Op;

use crate::SEPARATOR;

/// Facts that go into one seed at most.
const MAX_FACTS: usize = 8;

/// Scripts with commands, binders, dialects and models that no fact has.
const SCRIPTS: &[(&str, &str)] = &[
    (
        "commands",
        "(set-info :status sat)(set-logic ALL)(set-option :produce-models true)\n(declare-sort S 1)(define-sort T (X) \
         (Array X (S X)))\n(declare-const a (T Int))(declare-fun f (Int (S Int)) Bool)\n(push 1)(assert (f 1 (select a 0)))\
         (check-sat-assuming ((f 1 (select a 0))))(pop 1)\n(echo \"x\"\"y\")(get-value ((f 2 (select a 1))))(get-info \
         :name)(reset-assertions)(exit)\n",
    ),
    (
        "binders",
        "(declare-const x Int)\n(assert (forall ((x Int) (y Bool)) (! (let ((z (+ x 1)) (x 2)) (exists ((|z 1| Int)) (or y \
         (= z x |z 1|)))) :pattern ((+ x 1) y) :named n)))\n(assert (= ((lambda ((y Int)) (+ y x)) 3) 4))\n",
    ),
    (
        "datatypes",
        "(declare-datatypes ((List 1) (Tree 0)) ((par (T) ((nil) (cons (head T) (tail (List T))))) ((leaf) (node (kids (List \
         Tree))))))\n(declare-datatype Pair (par (A B) ((pair (first A) (second B)))))\n(declare-const l (List Int))\n(assert \
         (match l ((nil true) ((cons h t) (and ((_ is nil) t) (> h 0))))))\n(assert (= (as nil (List Int)) (tail ((_ update \
         head) (cons 1 l) 2))))\n",
    ),
    (
        "recursion",
        "(define-fun-rec fac ((n Int)) Int (ite (<= n 0) 1 (* n (fac (- n 1)))))\n(define-funs-rec ((even ((n Int)) Bool) \
         (odd ((n Int)) Bool)) ((ite (= n 0) true (odd (- n 1))) (ite (= n 0) false (even (- n 1)))))\n(assert (and (= (fac 5) \
         120) (even 10)))\n",
    ),
    (
        "old-strings",
        "(declare-const s String)\n(assert (str.in.re s (re.++ (str.to.re \"a\\x41\\n\\\\\") (re.* (re.range \"a\" \
         \"z\")))))\n(assert (= (int.to.str 5) (str.replaceall s \"\\t\" \"\")))\n(declare-datatypes (T) ((Old a (b (c \
         T)))))\n(assert (is-a (as a (Old Int))))\n",
    ),
    (
        "odd-names",
        "(declare-const || Int)(declare-const |let| Int)(declare-const |a\\b| Bool)(declare-sort |x y| 0)(declare-const |1| |x \
         y|)\n(assert (and |a\\b| (= || |let|) (= |1| (as |1| |x y|))))\n(declare-fun |f g| (Int) Bool)(assert (|f g| |let|))\n\
         (declare-datatype D ((|c d| (|s t| Int)) (e)))(declare-const d D)(assert (=> ((_ is |c d|) d) (= (|s t| d) 1)))\n\
         (assert (match d ((e true) (_ false))))(set-info :source |many\nlines|)(declare-const z (_ FiniteField 5))\n",
    ),
    (
        "annotations",
        "(declare-fun p (Int) Bool)\n(assert (! (p 1)))(assert (! (p 2) :named a :weight 5 :note (x \"y\")))\n(assert (forall \
         ((x Int)) (! (p x) :pattern ((p x) (p 1)) :qid q :pattern ((p 2)) :no-pattern (p 3) :pattern ())))\n(assert (and a \
         (or) (and)))\n",
    ),
    (
        "functions",
        "(declare-const f (-> Int Int))(declare-fun g (Int Int) Int)(declare-const h (-> Int Int Int))\n(assert (= (f 1) (g 1 \
         2) (h 1 2)))\n(assert (= h g))(assert (let ((k (lambda ((x Int)) (f x)))) (= (k 1) (select ((as const (Array Int Int)) 3) \
         2))))\n",
    ),
    (
        "indices",
        "(assert (= (_ bv5 8) ((_ extract 7 0) #xaF05) ((_ zero_extend 0) #b00000101)))\n(assert ((_ divisible \
         99999999999999999999) 0))(assert (str.in_re (_ char #x41) ((_ re.loop 1 2) ((_ re.^ 0) re.all))))\n(assert (= \
         ((_ to_fp 5 11) RNE 1) (fp #b0 #b01111 #b0000000000) ((_ to_fp 5 11) #x3c00)))\n",
    ),
    (
        "model",
        "(declare-sort U 0)(declare-const x Int)(declare-const r Real)(declare-fun f (Int) Int)(declare-const u \
         U)(declare-const a (Array Int Int))\n(assert (and (= (f x) 2) (= r 0.5) (= u u) (= (select a 1) (div x 0))))\n(check-sat)",
    ),
];

/// Answers of solvers to the script `model`.
const MODELS: &[&str] = &[
    "sat\n(\n  ;; universe for U:\n  (declare-fun U!val!0 () U)\n  (define-fun x () Int (- 3))\n  (define-fun r () Real (/ \
     1.0 2.0))\n  (define-fun u () U U!val!0)\n  (define-fun a () (Array Int Int) (_ as-array k!0))\n  (define-fun k!0 ((x!0 \
     Int)) Int (ite (= x!0 1) 7 0))\n  (define-fun f ((x!0 Int)) Int 2)\n  (define-fun div0 ((x!0 Int)) Int 7)\n)",
    "(model (define-fun x () Int 3) (define-fun u () U (as @U_0 U)) (define-fun a () (Array Int Int) (store ((as const (Array \
     Int Int)) 0) 1 7)))",
    "((x 3) (r (/ 1 2)) (f (lambda ((y Int)) 2)) ((div x 0) 7) (a (lambda ((i Int)) (ite (= i 1) 7 0))))",
    "(= x 3)\n(= r 1/2)\n(function f (type (-> Int Int)) (= (f 3) 2) (default 0))",
];

/// The files below a folder of `testdata` whose names end like this, by name, with their paths and texts.
fn files(folder: &str, extension: &str) -> Vec<(PathBuf, String)> {
    let mut pending = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(folder)];
    let mut files = Vec::new();
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder).expect("the repository has test data") {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                let text = fs::read_to_string(&path).expect("test data is text");
                files.push((path, text));
            }
        }
    }
    files.sort();
    files
}

fn stem(path: &Path) -> String {
    path.file_stem().expect("a file has a name").to_string_lossy().into_owned()
}

/// Models that solvers printed, each after its script.
pub fn models() -> Vec<(String, String)> {
    let models = files("models", "model").into_iter().map(|(path, model)| {
        let script =
            fs::read_to_string(path.with_file_name("formula.smt2")).expect("a model has its formula");
        let folder = path.parent().map(stem).unwrap_or_default();
        (format!("{folder}-{}", stem(&path)), format!("{script}{SEPARATOR}{model}"))
    });
    models.chain(scripts().into_iter().filter(|(_, seed)| seed.contains(SEPARATOR))).collect()
}

/// Scripts for our own solver.
pub fn problems() -> Vec<(String, String)> {
    files("solve", "smt2").into_iter().map(|(path, script)| (stem(&path), script)).collect()
}

/// Scripts, some of them with a model after them.
pub fn scripts() -> Vec<(String, String)> {
    let mut seeds = Vec::new();
    for (path, text) in files("facts", "txt") {
        let name = stem(&path);
        let scripts = scripts_of_facts(&text);
        seeds.extend(
            scripts.into_iter().enumerate().map(|(number, script)| (format!("{name}-{number}"), script)),
        );
    }
    seeds.extend(SCRIPTS.iter().map(|(name, script)| ((*name).to_owned(), (*script).to_owned())));
    let script = SCRIPTS.last().expect("there are scripts").1;
    let models = MODELS.iter().enumerate();
    seeds.extend(
        models.map(|(number, model)| (format!("model-{number}"), format!("{script}{SEPARATOR}{model}"))),
    );
    seeds
}

/// Words that a fuzzer should know: every spelling of every operator, every command, sorts and syntax.
pub fn words() -> Vec<String> {
    const COMMANDS: &str = "assert check-sat check-sat-assuming declare-const declare-datatype declare-datatypes declare-fun \
        declare-sort declare-sort-parameter define-const define-fun define-fun-rec define-funs-rec define-sort echo exit \
        get-assertions get-assignment get-info get-model get-option get-proof get-unsat-assumptions get-unsat-core get-value \
        pop push reset reset-assertions set-info set-logic set-option";
    const SYNTAX: &str = "let forall exists lambda match par as _ ! is update :named :pattern :no-pattern \
        :global-declarations ( ) (( )) | \" \"\" ; #b01 #xff 0 1 2 10 4294967295 4294967296 18446744073709551616 0.5 \\u{41} \
        \\u0041 \\x41 \\n \u{e9} root-obj as-array @a_0 S!val!0 model";
    const PHRASES: [&str; 7] = [
        "(_ bv5 8)",
        "(_ char #x41)",
        "(- 1)",
        "((as const ",
        "(_ FloatingPoint 3 4)",
        "(_ BitVec 4)",
        SEPARATOR,
    ];
    const SORTS: &str = "Bool Int Real String RegLan RoundingMode Array Seq BitVec FloatingPoint Float16 Float32 Float64 \
        Float128 Set Tuple ->";
    let mut words: Vec<String> = Vec::new();
    for op in Op::all() {
        let info = op.info();
        for name in std::iter::once(&info.name).chain(info.old_names) {
            let indices: String = info.indices.iter().map(|_| " 1").collect();
            words.push(if indices.is_empty() {
                format!("({name} ")
            } else {
                format!("((_ {name}{indices}) ")
            });
        }
    }
    words.extend(COMMANDS.split_whitespace().map(|command| format!("({command} ")));
    let atoms = SYNTAX.split_whitespace().chain(SORTS.split_whitespace()).chain(PHRASES);
    words.extend(atoms.map(str::to_owned));
    words.sort();
    words.dedup();
    words
}

fn scripts_of_facts(text: &str) -> Vec<String> {
    let commands: String =
        text.lines().filter_map(|line| line.strip_prefix('!')).map(|line| format!("{line}\n")).collect();
    let is_fact = |line: &&str| !line.is_empty() && !line.starts_with([';', '!']);
    let facts: Vec<&str> = text.lines().filter(is_fact).collect();
    let script = |facts: &[&str]| {
        let asserts: String = facts.iter().map(|fact| format!("(assert {fact})\n")).collect();
        format!("{commands}{asserts}")
    };
    facts.chunks(MAX_FACTS).map(script).collect()
}
