// The least that a cold run of a solver costs whoever starts it: posix_spawn, two pipes, wait4, and nothing else.
// floor COUNT PROGRAM ARGUMENTS.. prints the processor time of this process per run.
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

static void run(char **argv) {
    int in[2], out[2];
    check(pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC), "pipe2");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    pid_t pid;
    check(posix_spawn(&pid, argv[0], &actions, NULL, argv, environ), "posix_spawn");
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    check(write(in[1], script, strlen(script)) < 0, "write");
    close(in[1]);
    char buffer[4096];
    while (read(out[0], buffer, sizeof buffer) > 0) {
    }
    close(out[0]);
    int status;
    struct rusage usage;
    check(wait4(pid, &status, 0, &usage) < 0, "wait4");
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: floor COUNT PROGRAM [ARGUMENT..]\n");
        return 2;
    }
    int count = atoi(argv[1]);
    double before = own_seconds();
    for (int number = 0; number < count; number++) run(argv + 2);
    printf("%.0f us per run\n", (own_seconds() - before) / count * 1e6);
    return 0;
}
