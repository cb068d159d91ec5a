// The least that running a solver costs whoever runs it, as processor time of this process per run.
//
// floor cold COUNT PROGRAM ARGUMENTS..: a process for each run: posix_spawn, two pipes, wait4, and nothing else.
// floor session FILES.. -- PROGRAM ARGUMENTS..: one process that is sent one file after the other between push and pop,
// with its answer and model read to the end, and nothing made of them.
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static const char script[] = "(declare-fun x () Int)(assert (and (> x 3) (< (* 2 x) 40)))(check-sat)(get-model)";

static double own_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static void check(int failed, const char *what) {
    if (failed) {
        perror(what);
        exit(1);
    }
}

struct solver {
    pid_t pid;
    int in, out;
};

static struct solver start(char **argv) {
    int in[2], out[2];
    check(pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC), "pipe2");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    struct solver solver = {.in = in[1], .out = out[0]};
    check(posix_spawn(&solver.pid, argv[0], &actions, NULL, argv, environ), "posix_spawn");
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    return solver;
}

static void end(struct solver solver) {
    close(solver.in);
    char buffer[4096];
    while (read(solver.out, buffer, sizeof buffer) > 0) {
    }
    close(solver.out);
    int status;
    struct rusage usage;
    check(wait4(solver.pid, &status, 0, &usage) < 0, "wait4");
}

static double cold(int count, char **argv) {
    double before = own_seconds();
    for (int number = 0; number < count; number++) {
        struct solver solver = start(argv);
        check(write(solver.in, script, strlen(script)) < 0, "write");
        end(solver);
    }
    return (own_seconds() - before) / count;
}

#define MAX_SIZE 65536
static const char mark[] = "end of answer";

// What is sent for a file.
static char *message(const char *name) {
    char *text = malloc(MAX_SIZE);
    int length = snprintf(text, MAX_SIZE, "(push 1)");
    FILE *file = fopen(name, "r");
    check(file == NULL, name);
    length += fread(text + length, 1, MAX_SIZE / 2, file);
    fclose(file);
    snprintf(text + length, MAX_SIZE - length, "(get-model)(pop 1)(echo \"%s\")\n", mark);
    return text;
}

static double session(int count, char **files, char **argv) {
    char **messages = malloc(count * sizeof *messages);
    for (int number = 0; number < count; number++) messages[number] = message(files[number]);
    struct solver solver = start(argv);
    char buffer[MAX_SIZE];
    double before = own_seconds();
    for (int number = 0; number < count; number++) {
        check(write(solver.in, messages[number], strlen(messages[number])) < 0, "write");
        size_t length = 0;
        do {
            ssize_t got = read(solver.out, buffer + length, sizeof buffer - 1 - length);
            check(got <= 0, "read");
            length += got;
            buffer[length] = 0;
        } while (strstr(buffer, mark) == NULL);
    }
    double seconds = (own_seconds() - before) / count;
    end(solver);
    return seconds;
}

int main(int argc, char **argv) {
    double seconds;
    int dashes = 2;
    while (dashes < argc && strcmp(argv[dashes], "--") != 0) dashes++;
    if (argc > 3 && strcmp(argv[1], "cold") == 0) {
        seconds = cold(atoi(argv[2]), argv + 3);
    } else if (argc > 4 && strcmp(argv[1], "session") == 0 && dashes > 2 && dashes + 1 < argc) {
        seconds = session(dashes - 2, argv + 2, argv + dashes + 1);
    } else {
        fprintf(stderr, "usage: floor cold COUNT PROGRAM [ARGUMENT..]\n"
                        "       floor session FILE.. -- PROGRAM [ARGUMENT..]\n");
        return 2;
    }
    printf("%.0f us per run\n", seconds * 1e6);
    return 0;
}
