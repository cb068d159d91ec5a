//! Inputs that give no text: each is explained, none is a panic.

use std::fs::File;

use expect_test::{Expect, expect};

use crate::support::{folder, smelt_in};

/// Checks what `smelt check` says of one file with this content.
fn check(test: &str, content: &[u8], expect: Expect) {
    let folder = folder(test, &[("a.smt2", content)]);
    let outcome = smelt_in(&folder, &["check", "a.smt2"], b"");
    expect.assert_eq(&format!("{}{}", outcome.stderr, outcome.stdout));
    assert_eq!(outcome.status, 2);
}

#[test]
fn a_binary_file() {
    check(
        "a_binary_file",
        b"\x7fELF\x02\x01\0\0\0",
        expect![[r#"
            error: cannot read `a.smt2`: this is a binary file: byte 6 is NUL
            help: smelt reads SMT-LIB scripts, which are text

            1 file: 0 well-sorted, 1 unreadable
        "#]],
    );
}

#[test]
fn a_compressed_file() {
    check(
        "a_compressed_file",
        b"\x1f\x8b\x08\0\0\0\0\0",
        expect![[r#"
            error: cannot read `a.smt2`: this is a compressed file
            help: unpack it first with `gunzip`

            1 file: 0 well-sorted, 1 unreadable
        "#]],
    );
}

#[test]
fn a_file_that_is_not_utf_8() {
    check(
        "a_file_that_is_not_utf_8",
        b"(check-sat)\n; caf\xe9\n",
        expect![[r#"
            error: cannot read `a.smt2:2:6`: the text is not UTF-8: byte 17 is 0xe9
            help: if it is Latin-1, convert it with `iconv -f LATIN1 -t UTF-8`; in string literals write `\u{..}`

            1 file: 0 well-sorted, 1 unreadable
        "#]],
    );
}

#[test]
fn a_file_with_a_byte_order_mark() {
    check(
        "a_file_with_a_byte_order_mark",
        b"\xef\xbb\xbf(check-sat)\n",
        expect![[r#"
            error: cannot read `a.smt2`: the text starts with a byte order mark, which SMT-LIB does not allow
            help: remove its first three bytes, for example with `tail -c +4`

            1 file: 0 well-sorted, 1 unreadable
        "#]],
    );
}

#[test]
fn a_path_that_does_not_exist_does_not_hide_the_others() {
    let folder = folder("a_path_that_does_not_exist", &[("a.smt2", b"(check-sat)")]);
    let outcome = smelt_in(&folder, &["check", "b.smt2", "a.smt2"], b"");
    expect![[r#"
        error: cannot read `b.smt2`: no such file or folder
        help: check the spelling of the path

        2 files: 1 well-sorted, 1 unreadable
    "#]]
    .assert_eq(&format!("{}{}", outcome.stderr, outcome.stdout));
    assert_eq!(outcome.status, 2);
}

#[test]
fn a_folder_without_scripts() {
    let folder = folder("a_folder_without_scripts", &[("notes.txt", b"")]);
    let outcome = smelt_in(&folder, &["check", "."], b"");
    expect![[r#"
        error: cannot read `.`: no `.smt2` files in this folder
        help: name the files themselves if they end differently

        1 file: 0 well-sorted, 1 unreadable
    "#]]
    .assert_eq(&format!("{}{}", outcome.stderr, outcome.stdout));
    assert_eq!(outcome.status, 2);
}

#[test]
fn a_file_of_more_than_4_gib() {
    let folder = folder("a_file_of_more_than_4_gib", &[]);
    // A hole in a file takes no room on the disk.
    File::create(folder.join("a.smt2")).unwrap().set_len(5 << 30).unwrap();
    let outcome = smelt_in(&folder, &["check", "a.smt2"], b"");
    std::fs::remove_file(folder.join("a.smt2")).unwrap();
    expect![[r#"
        error: cannot read `a.smt2`: the text has 4 GiB or more
        help: split the script: smelt reads texts of less than 4 GiB

        1 file: 0 well-sorted, 1 unreadable
    "#]]
    .assert_eq(&format!("{}{}", outcome.stderr, outcome.stdout));
    assert_eq!(outcome.status, 2);
}

#[test]
fn standard_input_twice() {
    let outcome = smelt_in(&std::env::temp_dir(), &["check", "-", "-"], b"(check-sat)");
    expect![[r#"
        error: cannot read standard input: standard input can be read only once
        help: remove the second `-`

        2 files: 1 well-sorted, 1 unreadable
    "#]]
    .assert_eq(&format!("{}{}", outcome.stderr, outcome.stdout));
    assert_eq!(outcome.status, 2);
}

#[test]
fn unreadable_files_are_lines_of_json_too() {
    let folder = folder("unreadable_files_are_lines", &[("a.smt2", b"(check-sat)\n\xff")]);
    let outcome = smelt_in(&folder, &["check", "--json", "a.smt2", "b.smt2"], b"");
    expect![[r#"
        {"file":"a.smt2","ok":false,"errors":[{"line":2,"column":1,"message":"the text is not UTF-8: byte 12 is 0xff","help":"if it is Latin-1, convert it with `iconv -f LATIN1 -t UTF-8`; in string literals write `\\u{..}`","kind":"unreadable"}],"logic":null,"dialect":null,"terms":null,"opaque":null}
        {"file":"b.smt2","ok":false,"errors":[{"line":null,"column":null,"message":"no such file or folder","help":"check the spelling of the path","kind":"unreadable"}],"logic":null,"dialect":null,"terms":null,"opaque":null}
    "#]].assert_eq(&outcome.stdout);
    assert_eq!(outcome.status, 2);
}

#[test]
fn a_folder_gives_regular_files_only() {
    let folder = folder("fifo_in_folder", &[("a.smt2", b"(check-sat)")]);
    assert!(std::process::Command::new("mkfifo").arg(folder.join("b.smt2")).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", folder.join("c.smt2")).unwrap();
    let outcome = smelt_in(&folder, &["check", "."], b"");
    assert_eq!((outcome.stdout.as_str(), outcome.status), ("1 file: 1 well-sorted\n", 0));
}

#[test]
fn a_pipe_that_is_named_is_read() {
    let folder = folder("named_fifo", &[]);
    let pipe = folder.join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let writer = std::thread::spawn(move || std::fs::write(pipe, "(check-sat)").unwrap());
    let outcome = smelt_in(&folder, &["check", "pipe"], b"");
    writer.join().unwrap();
    assert_eq!(outcome.stdout, "1 file: 1 well-sorted\n");
}

#[test]
fn a_device_without_end_is_refused() {
    let outcome = smelt_in(&folder("device", &[]), &["solve", "/dev/zero"], b"");
    assert!(outcome.stderr.contains("this is a binary file"), "{}", outcome.stderr);
    assert_eq!(outcome.status, 2);
}
