/* Runs a program and lets one of its system calls fail.
 *
 *     inject FOLDER FAULT N LOG PROGRAM ARGUMENTS..
 *
 * Only calls about files in FOLDER count, of all threads of the program but not of its children: the N-th of those that
 * FAULT concerns fails. N = 0 fails none. LOG gets the calls that were counted, one a line, the one that failed marked
 * by `!`. The exit status is that of the program, or 128 + the signal that ended it; 125 if the system does not allow
 * tracing.
 *
 * FAULT is one of
 *     nospace   a call that takes room fails with ENOSPC
 *     full      it fails, and so do all that come after it
 *     io        any call fails with EIO
 *     short     a write writes half of what it was given
 *     kill      the program is killed before a call that changes something
 *     torn      it is killed after half of a write
 *     memory    asking the system for memory fails, from then on; FOLDER does not matter
 *
 * It traces the real program, which is linked without shared libraries where possible, so nothing can be preloaded.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <linux/ptrace.h>
#include <unistd.h>

enum { READS = 1, CHANGES = 2, TAKES_ROOM = 4, WRITES = 8, OPENS = 16, MAPS = 32, ASKS_MEMORY = 64 };

/* Where a call names its file: a descriptor, or a path below a folder that is a descriptor. */
struct call {
    long number;
    const char *name;
    int kind;
    int descriptor; /* the argument that is a descriptor; -1 for the working folder */
    int path;       /* the argument that is a path; -1 if there is none */
};

static const struct call CALLS[] = {
#ifdef SYS_open
    {SYS_open, "open", READS | OPENS, -1, 0},
    {SYS_mkdir, "mkdir", CHANGES | TAKES_ROOM, -1, 0},
    {SYS_rmdir, "rmdir", CHANGES, -1, 0},
    {SYS_unlink, "unlink", CHANGES, -1, 0},
    {SYS_rename, "rename", CHANGES | TAKES_ROOM, -1, 0},
#endif
    {SYS_openat, "openat", READS | OPENS, 0, 1},
    {SYS_mkdirat, "mkdirat", CHANGES | TAKES_ROOM, 0, 1},
    {SYS_unlinkat, "unlinkat", CHANGES, 0, 1},
#ifdef SYS_renameat
    {SYS_renameat, "renameat", CHANGES | TAKES_ROOM, 0, 1},
#endif
    {SYS_renameat2, "renameat2", CHANGES | TAKES_ROOM, 0, 1},
    {SYS_getdents64, "getdents64", READS, 0, -1},
    {SYS_read, "read", READS, 0, -1},
    {SYS_pread64, "pread64", READS, 0, -1},
    {SYS_write, "write", CHANGES | TAKES_ROOM | WRITES, 0, -1},
    {SYS_pwrite64, "pwrite64", CHANGES | TAKES_ROOM | WRITES, 0, -1},
    {SYS_fsync, "fsync", CHANGES | TAKES_ROOM, 0, -1},
    {SYS_fdatasync, "fdatasync", CHANGES | TAKES_ROOM, 0, -1},
    {SYS_ftruncate, "ftruncate", CHANGES | TAKES_ROOM, 0, -1},
    {SYS_fallocate, "fallocate", CHANGES | TAKES_ROOM, 0, -1},
    {SYS_mmap, "mmap", READS | MAPS | ASKS_MEMORY, 4, -1},
    {SYS_mremap, "mremap", ASKS_MEMORY, -1, -1},
    {SYS_brk, "brk", ASKS_MEMORY, -1, -1},
};

struct fault {
    const char *name;
    int concerns; /* kinds of calls */
    int error;    /* 0 if the call is made after all */
    int lasts;    /* whether all later calls fail as well */
};

static const struct fault FAULTS[] = {
    {"nospace", TAKES_ROOM, ENOSPC, 0},     {"full", TAKES_ROOM, ENOSPC, 1}, {"io", READS | CHANGES, EIO, 0},
    {"short", WRITES, 0, 0},                {"kill", CHANGES, 0, 0},         {"torn", WRITES, 0, 0},
    {"memory", ASKS_MEMORY, ENOMEM, 1},
};

/* Whether the call that a thread is in fails, or kills the program when it is over. */
struct thread {
    pid_t id;
    long result; /* what the call gives instead of being made; MADE if it is made */
    int kill_after;
};

enum { MADE = 1 };

static struct thread threads[256];
static const char *folder;
static const struct fault *fault;
static long wanted, counted;
static FILE *log_file;
static pid_t program;

static void give_up(const char *what) {
    fprintf(stderr, "inject: %s: %s\n", what, strerror(errno));
    if (program > 0) kill(program, SIGKILL);
    exit(125);
}

static struct thread *thread_of(pid_t id) {
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        if (threads[i].id == id) return &threads[i];
        if (threads[i].id == 0) {
            threads[i] = (struct thread){id, MADE, 0};
            return &threads[i];
        }
    }
    errno = ENOMEM;
    give_up("too many threads");
    return NULL;
}

static void forget(pid_t id) {
    struct thread *gone = thread_of(id), *last = gone;
    while (last + 1 < threads + sizeof threads / sizeof *threads && last[1].id != 0) last++;
    *gone = *last;
    memset(last, 0, sizeof *last);
}

#if defined(__x86_64__)
static struct user_regs_struct registers_of(pid_t id) {
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, id, NULL, &registers) < 0) memset(&registers, 0, sizeof registers);
    return registers;
}
static void skip_call(pid_t id) {
    struct user_regs_struct registers = registers_of(id);
    registers.orig_rax = -1;
    ptrace(PTRACE_SETREGS, id, NULL, &registers);
}
static void set_result(pid_t id, long result) {
    struct user_regs_struct registers = registers_of(id);
    registers.rax = result;
    ptrace(PTRACE_SETREGS, id, NULL, &registers);
}
static void set_length(pid_t id, uint64_t length) {
    struct user_regs_struct registers = registers_of(id);
    registers.rdx = length;
    ptrace(PTRACE_SETREGS, id, NULL, &registers);
}
#elif defined(__aarch64__)
static void set_register(pid_t id, int number, uint64_t value) {
    struct user_regs_struct registers;
    struct iovec part = {&registers, sizeof registers};
    if (ptrace(PTRACE_GETREGSET, id, NT_PRSTATUS, &part) < 0) return;
    registers.regs[number] = value;
    ptrace(PTRACE_SETREGSET, id, NT_PRSTATUS, &part);
}
static void skip_call(pid_t id) {
    int none = -1;
    struct iovec part = {&none, sizeof none};
    ptrace(PTRACE_SETREGSET, id, NT_ARM_SYSTEM_CALL, &part);
}
static void set_result(pid_t id, long result) { set_register(id, 0, result); }
static void set_length(pid_t id, uint64_t length) { set_register(id, 2, length); }
#endif

/* Reads a text of the program; empty if there is none. */
static void read_text(uint64_t address, char *text, size_t size) {
    struct iovec here = {text, size - 1}, there = {(void *)address, size - 1};
    /* Not beyond a page that may be the last one. */
    size_t room = 4096 - address % 4096;
    ssize_t length = 0;
    there.iov_len = room < size - 1 ? room : size - 1;
    length = process_vm_readv(program, &here, 1, &there, 1, 0);
    text[length < 0 ? 0 : length] = 0;
    if (length > 0 && (size_t)length == there.iov_len && !memchr(text, 0, length) && there.iov_len < size - 1) {
        here.iov_base = text + length;
        here.iov_len = size - 1 - length;
        there.iov_base = (char *)there.iov_base + length;
        there.iov_len = here.iov_len;
        ssize_t more = process_vm_readv(program, &here, 1, &there, 1, 0);
        text[length + (more < 0 ? 0 : more)] = 0;
    }
}

/* The path of an open file, or of the working folder for -1. */
static void path_of(int descriptor, char *path, size_t size) {
    char link[64];
    if (descriptor < 0)
        snprintf(link, sizeof link, "/proc/%d/cwd", program);
    else
        snprintf(link, sizeof link, "/proc/%d/fd/%d", program, descriptor);
    ssize_t length = readlink(link, path, size - 1);
    path[length < 0 ? 0 : length] = 0;
}

/* The file that a call is about; empty if it is about none. */
static void file_of(const struct call *call, const uint64_t *args, char *file, size_t size) {
    char base[PATH_MAX], path[PATH_MAX] = "";
    int descriptor = call->descriptor < 0 ? -1 : (int)args[call->descriptor];
    file[0] = 0;
    if (call->kind & MAPS && args[3] & MAP_ANONYMOUS) return;
    if (call->path >= 0) {
        read_text(args[call->path], path, sizeof path);
        if (path[0] == '/') {
            snprintf(file, size, "%s", path);
            return;
        }
        if (descriptor == AT_FDCWD) descriptor = -1;
    }
    path_of(descriptor, base, sizeof base);
    snprintf(file, size, "%.2040s%s%.2040s", base, path[0] ? "/" : "", path);
}

static int is_inside(const char *file) {
    size_t length = strlen(folder);
    return strncmp(file, folder, length) == 0 && (file[length] == 0 || file[length] == '/');
}

/* Looks at a call that begins, and decides whether it is the one. */
static void at_entry(pid_t id, uint64_t number, const uint64_t *args) {
    const struct call *call = NULL;
    char file[PATH_MAX];
    for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++)
        if ((uint64_t)CALLS[i].number == number) call = &CALLS[i];
    if (!call) return;
    int kind = call->kind;
    if (kind & OPENS && args[call->path + 1] & O_CREAT) kind |= CHANGES | TAKES_ROOM;
    if (!(kind & fault->concerns)) return;
    if (fault->concerns & ASKS_MEMORY) {
        if (kind & MAPS && !(args[3] & MAP_ANONYMOUS)) return;
        snprintf(file, sizeof file, "%s/memory", folder);
    } else {
        file_of(call, args, file, sizeof file);
        if (!is_inside(file)) return;
    }
    counted++;
    int is_hit = wanted > 0 && (counted == wanted || (fault->lasts && counted > wanted));
    fprintf(log_file, "%s%s %s\n", is_hit ? "! " : "", call->name, file + strlen(folder));
    if (!is_hit) return;
    if (strcmp(fault->name, "kill") == 0) {
        kill(program, SIGKILL);
    } else if (fault->error) {
        /* brk has no errors: it says where the break is. */
        thread_of(id)->result = call->number == SYS_brk ? 0 : -fault->error;
        skip_call(id);
    } else {
        set_length(id, args[2] > 1 ? args[2] / 2 : args[2]);
        thread_of(id)->kill_after = strcmp(fault->name, "torn") == 0;
    }
}

static void at_exit(pid_t id) {
    struct thread *thread = thread_of(id);
    if (thread->result != MADE) {
        set_result(id, thread->result);
        thread->result = MADE;
    }
    if (thread->kill_after) kill(program, SIGKILL);
}

/* Whether a thread belongs to the program and not to a child of it. */
static int is_ours(pid_t id) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d", program, id);
    return access(path, F_OK) == 0;
}

int main(int count, char **arguments) {
    if (count < 6) {
        fprintf(stderr, "usage: inject FOLDER FAULT N LOG PROGRAM ARGUMENTS..\n");
        return 125;
    }
    folder = arguments[1];
    for (size_t i = 0; i < sizeof FAULTS / sizeof *FAULTS; i++)
        if (strcmp(FAULTS[i].name, arguments[2]) == 0) fault = &FAULTS[i];
    wanted = atol(arguments[3]);
    log_file = fopen(arguments[4], "we");
    if (!fault || !log_file) give_up("cannot use the arguments");

    program = fork();
    if (program < 0) give_up("cannot fork");
    if (program == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0) _exit(125);
        raise(SIGSTOP);
        execv(arguments[5], arguments + 5);
        _exit(125);
    }
    int status;
    if (waitpid(program, &status, 0) < 0 || !WIFSTOPPED(status)) give_up("cannot trace");
    long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    if (ptrace(PTRACE_SETOPTIONS, program, NULL, options) < 0) give_up("cannot trace");
    ptrace(PTRACE_SYSCALL, program, NULL, NULL);

    int is_running = 0; /* what happens before the program is executed is ours */
    for (;;) {
        pid_t id = waitpid(-1, &status, __WALL);
        if (id < 0) {
            if (errno == EINTR) continue;
            give_up("cannot wait");
        }
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            forget(id);
            if (id != program) continue;
            fclose(log_file);
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
        long signal = 0;
        int event = status >> 16;
        if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
            struct ptrace_syscall_info info;
            memset(&info, 0, sizeof info);
            if (is_running && ptrace(PTRACE_GET_SYSCALL_INFO, id, sizeof info, &info) > 0) {
                if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
                    uint64_t args[6];
                    for (int i = 0; i < 6; i++) args[i] = info.entry.args[i];
                    at_entry(id, info.entry.nr, args);
                } else if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
                    at_exit(id);
                }
            }
        } else if (event == PTRACE_EVENT_EXEC) {
            is_running = 1;
        } else if (event == PTRACE_EVENT_CLONE) {
            /* The new thread is traced from its first stop on. */
        } else if (WSTOPSIG(status) == SIGSTOP && id != program) {
            /* The first stop of a new thread. A child that was cloned in an unusual way is left alone. */
            if (!is_ours(id)) {
                forget(id);
                ptrace(PTRACE_DETACH, id, NULL, NULL);
                continue;
            }
        } else {
            signal = WSTOPSIG(status);
        }
        ptrace(PTRACE_SYSCALL, id, NULL, signal);
    }
}
