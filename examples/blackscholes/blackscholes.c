/* SPDX-License-Identifier: Apache-2.0 */
/* Prices European options by the formula of F. Black and M. Scholes (1973), as the benchmark of
 * that name in the PARSEC suite does: read a portfolio, divide it among threads, price it a number
 * of times, write the prices. Plain POSIX: for Linux, cc -O2 -pthread blackscholes.c -lm
 *
 *     blackscholes THREADS INPUT OUTPUT [TIMES]
 *
 * INPUT: how many options, then a line for each: spot price, strike price, interest rate,
 * volatility, time to maturity in years, C (call) or P (put). OUTPUT: a price a line. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct option {
    double spot, strike, rate, volatility, time;
    char kind;
};

struct share {
    pthread_t thread;
    size_t first, end;
};

static struct option *options;
static double *prices;
static size_t option_count;
static int times = 1;

static _Noreturn void fail(const char *what, const char *which) {
    printf("blackscholes: %s %s\n", what, which);
    exit(1);
}

/* The normal distribution, by the polynomial 26.2.17 of Abramowitz and Stegun: off by less
 * than 7.5e-8. */
static double normal_distribution(double x) {
    static const double factors[] = {0.319381530, -0.356563782, 1.781477937, -1.821255978,
                                     1.330274429};
    double t = 1 / (1 + 0.2316419 * fabs(x));
    double sum = 0;
    for (int power = 4; power >= 0; power--) {
        sum = (sum + factors[power]) * t;
    }
    double tail = 0.39894228040143267794 * exp(-0.5 * x * x) * sum;
    return x < 0 ? tail : 1 - tail;
}

static double price_of(const struct option *option) {
    double spread = option->volatility * sqrt(option->time);
    double drift = option->rate + 0.5 * option->volatility * option->volatility;
    double d1 = (log(option->spot / option->strike) + drift * option->time) / spread;
    double d2 = d1 - spread;
    double discounted = option->strike * exp(-option->rate * option->time);
    if (option->kind == 'P') {
        return discounted * normal_distribution(-d2) - option->spot * normal_distribution(-d1);
    }
    return option->spot * normal_distribution(d1) - discounted * normal_distribution(d2);
}

static void *price_share(void *argument) {
    const struct share *share = argument;
    for (int round = 0; round < times; round++) {
        for (size_t index = share->first; index < share->end; index++) {
            prices[index] = price_of(&options[index]);
        }
    }
    return NULL;
}

static void read_options(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%zu", &option_count) != 1) {
        fail("cannot read", path);
    }
    options = calloc(option_count, sizeof *options);
    prices = calloc(option_count, sizeof *prices);
    if (!options || !prices) {
        fail("no memory for the options of", path);
    }
    for (size_t index = 0; index < option_count; index++) {
        struct option *it = &options[index];
        if (fscanf(file, "%lf %lf %lf %lf %lf %c", &it->spot, &it->strike, &it->rate,
                   &it->volatility, &it->time, &it->kind) != 6) {
            fail("an option is missing in", path);
        }
    }
    fclose(file);
}

static void write_prices(const char *path) {
    FILE *file = fopen(path, "w");
    if (!file) {
        fail("cannot write", path);
    }
    for (size_t index = 0; index < option_count; index++) {
        fprintf(file, "%.9f\n", prices[index]);
    }
    if (fclose(file) != 0) {
        fail("cannot write", path);
    }
}

/* The threads begin and end in here; nanoseconds. */
static long long price_all(size_t thread_count) {
    struct share *shares = calloc(thread_count, sizeof *shares);
    struct timespec begin, end;
    if (!shares) {
        fail("no memory for the", "threads");
    }
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (size_t index = 0; index < thread_count; index++) {
        struct share *share = &shares[index];
        share->first = option_count * index / thread_count;
        share->end = option_count * (index + 1) / thread_count;
        if (pthread_create(&share->thread, NULL, price_share, share) != 0) {
            fail("cannot create so many", "threads");
        }
    }
    for (size_t index = 0; index < thread_count; index++) {
        pthread_join(shares[index].thread, NULL);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    free(shares);
    return (end.tv_sec - begin.tv_sec) * 1000000000LL + (end.tv_nsec - begin.tv_nsec);
}

int main(int argc, char **argv) {
    if (argc < 4 || atoi(argv[1]) < 1) {
        fail("arguments are", "THREADS INPUT OUTPUT [TIMES]");
    }
    times = argc > 4 ? atoi(argv[4]) : 1;
    read_options(argv[2]);
    long long nanoseconds = price_all((size_t)atoi(argv[1]));
    write_prices(argv[3]);
    printf("%zu options, %d times, %s threads: %lld ns\n", option_count, times, argv[1],
           nanoseconds);
    return 0;
}
