/* A program with a solver's interface and three planted bugs, for tests of builds with sanitizers.
 *
 * It reads SMT-LIB from standard input and answers `unsat` to formulas that contain `(< x 3)`, else `sat`. It understands
 * (echo ..) and (reset), so it can be kept running. The bugs:
 *   - a name of more than 23 characters is copied into too small a buffer (heap-buffer-overflow in copy_name),
 *   - a number of more than six digits is squared (signed integer overflow in square),
 *   - more than twelve open parentheses fail an assertion (in descend). */
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __attribute__((noinline)) void copy_name(char *to, const char *from) { strcpy(to, from); }

static __attribute__((noinline)) void declare(const char *name) {
    char *copy = malloc(24);
    copy_name(copy, name);
    free(copy);
}

static __attribute__((noinline)) int square(int number) { return number * number; }

static __attribute__((noinline)) void descend(int depth) { assert(depth <= 12); }

static int read_word(const char *word) {
    if (isdigit((unsigned char)word[0])) {
        return strlen(word) > 6 ? square(atoi(word)) : 0;
    }
    if (isalpha((unsigned char)word[0])) {
        declare(word);
    }
    return 0;
}

int main(void) {
    static char line[1 << 16];
    const char *answer = "sat";
    int depth = 0;
    volatile int sum = 0;
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "(echo \"", 7) == 0) {
            line[strcspn(line + 7, "\"") + 7] = 0;
            puts(line + 7);
            fflush(stdout);
            continue;
        }
        if (strstr(line, "(< x 3)")) {
            answer = "unsat";
        }
        char word[4096];
        size_t length = 0;
        for (char *next = line; *next; next++) {
            if (isalnum((unsigned char)*next) || *next == '_') {
                if (length + 1 < sizeof word) {
                    word[length++] = *next;
                }
                continue;
            }
            word[length] = 0;
            if (length > 0) {
                sum += read_word(word);
            }
            length = 0;
            if (*next == '(') {
                descend(++depth);
            } else if (*next == ')') {
                depth--;
            }
        }
        if (strstr(line, "(reset)")) {
            answer = "sat";
        }
        if (strstr(line, "(check-sat)")) {
            puts(answer);
            fflush(stdout);
        }
    }
    return 0;
}
