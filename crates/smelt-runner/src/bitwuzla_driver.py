"""Runs Bitwuzla from its Python package as a program that reads SMT-LIB from a file or from standard input.

It adds no options: all that Bitwuzla is run with is on the command line or in the script.

Text up to a line `(echo "smelt:N")` is one script. One that begins with `(reset)` is run by a child of this process, so
that the interpreter and the library are loaded once and nothing is left of the scripts before. Any other is the beginning
of a conversation, which the library reads itself. What is left at the end of the input is run by this process itself.
"""

import os
import signal
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
# Isolated, Python does not look into the folder of the package.
sys.path.insert(0, os.path.join(FOLDER, "lib"))

import bitwuzla

MARKER = b'(echo "smelt:'

# What the library holds is never taken apart: that takes time, and nothing comes after it.
KEPT = []


def say(text):
    while text:
        text = text[os.write(1, text) :]


def parser():
    options = bitwuzla.Options()
    given = [option for option in sys.argv[1:] if option.startswith("-") and not option.startswith("--lang")]
    if given:
        options.set_args(*given)
    manager = bitwuzla.TermManager()
    made = bitwuzla.Parser(manager, options)
    KEPT.append((options, manager, made))
    return made


def run(script, is_file=False):
    """Runs a script, or what is in a file; says whether all of it was understood."""
    try:
        text = script if is_file else script.decode("utf-8", "surrogateescape")
        parser().parse(text, False, is_file)
        return True
    except Exception as error:  # what goes wrong is part of the answer
        text = str(error).replace('"', "'").replace("\n", " ")
        say(f'(error "{text}")\n'.encode("utf-8", "surrogateescape"))
        return False


def end(status):
    sys.stdout.flush()
    os._exit(status)


def run_in_child(script):
    child = os.fork()
    if child == 0:
        run(script)
        end(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        # A crash of the child is seen as one of this process.
        os.kill(os.getpid(), os.WTERMSIG(status))
        signal.pause()


def converse(begun):
    """Runs what has been read so far and what is still to come as one script, command by command."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.close(reader)
        while begun:
            try:
                begun = begun[os.write(writer, begun) :] or os.read(0, 1 << 16)
            except OSError:
                break
        os._exit(0)
    os.close(writer)
    os.dup2(reader, 0)
    os.close(reader)
    end(0 if run("<stdin>", True) else 1)


def read_scripts():
    """The scripts of standard input, each with the line that ends it; the last one has none."""
    read = b""
    while True:
        start = 0 if read.startswith(MARKER) else read.find(b"\n" + MARKER) + 1
        stop = read.find(b"\n", start) if start > 0 or read.startswith(MARKER) else -1
        if stop >= 0:
            script, marker, read = read[:start], read[start : stop + 1], read[stop + 1 :]
            yield script, marker, read
            continue
        more = os.read(0, 1 << 16)
        if not more:
            yield read, b"", b""
            return
        read += more


def main():
    if "--version" in sys.argv[1:]:
        say(bitwuzla.version().encode() + b"\n")
        end(0)
    for file in sys.argv[1:]:
        if not file.startswith("-"):
            end(0 if run(file, True) else 1)
    for script, marker, rest in read_scripts():
        first, _, others = script.partition(b"\n")
        is_reset = first.strip() == b"(reset)"
        if marker and not is_reset:
            converse(script + marker + rest)
        if marker:
            run_in_child(others)
            say(marker.strip()[7:-2] + b"\n")
            continue
        script = others if is_reset else script
        if script:
            run(script)
    end(0)


main()
