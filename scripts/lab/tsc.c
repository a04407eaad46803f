// SPDX-License-Identifier: Apache-2.0
//
// Prints the frequency of this machine's time stamp counter, in kHz. An emulated guest sees the same counter, and would
// have to measure its frequency with a clock that stands still while the host is busy with other things.

#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

struct moment {
    uint64_t ticks;
    int64_t ns;
};

// Reads both clocks at nearly the same time: of many tries, the one with the least time in between.
static struct moment now(void) {
    struct moment best = {0, 0};
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 1000; i++) {
        struct timespec time;
        uint64_t before = __rdtsc();
        clock_gettime(CLOCK_MONOTONIC_RAW, &time);
        uint64_t between = __rdtsc() - before;
        if (between < least) {
            least = between;
            best.ticks = before + between / 2;
            best.ns = time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
        }
    }
    return best;
}

int main(void) {
    struct moment start = now();
    struct moment end;
    do {
        end = now();
    } while (end.ns - start.ns < 200 * 1000 * 1000);
    printf("%.0f\n", (double)(end.ticks - start.ticks) * 1e6 / (double)(end.ns - start.ns));
    return 0;
}
