/* SPDX-License-Identifier: Apache-2.0 */
/* Prices swaptions by simulated forward curves, in the model of D. Heath, R. Jarrow and A. Morton
 * (1992), as the benchmark of that name in the PARSEC suite does: each thread prices its share of
 * the swaptions. C++17 and its threads: for Linux, c++ -std=c++17 -O2 -pthread swaptions.cpp
 *
 *     swaptions THREADS SWAPTIONS TRIALS [OUTPUT]
 *
 * OUTPUT: for each swaption its price, the price's standard error, and the simulated price of a
 * bond that ends with the swaption, which is known, and shows whether the simulation is right. */
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

namespace {
constexpr int PERIODS = 20, FACTORS = 3;
constexpr double PERIOD = 0.5; // years

/* A forward rate for each period from now on. */
using curve = std::array<double, PERIODS>;

/* The right to enter a swap that pays a fixed rate, after some periods and for some. */
struct swaption {
    int wait, length;
    double rate;
};

struct price {
    double value, error, bond;
};

/* Numbers that are random enough, and the same everywhere: splitmix64, after G. Steele, D. Lea and
 * C. Flood (2014). */
class random_numbers {
  public:
    explicit random_numbers(uint64_t seed) : state(seed) {
    }

    /* Returns two independent numbers of the normal distribution, after G. Box and M. Muller
     * (1958). */
    std::array<double, 2> normal() {
        double radius = std::sqrt(-2 * std::log(uniform()));
        double angle = 2 * M_PI * uniform();
        return {radius * std::cos(angle), radius * std::sin(angle)};
    }

  private:
    /* Returns a number above 0 and at most 1. */
    double uniform() {
        state += 0x9e3779b97f4a7c15;
        uint64_t mixed = (state ^ state >> 30) * 0xbf58476d1ce4e5b9;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
        mixed ^= mixed >> 31;
        return static_cast<double>((mixed >> 11) + 1) / 9007199254740992.0;
    }

    uint64_t state;
};

/* What moves the curve: the volatility of each rate by each factor, and the drift that leaves no
 * arbitrage. */
class market {
  public:
    market() {
        double before = 0;
        std::array<double, FACTORS> sums = {};
        for (int period = 0; period < PERIODS; period++) {
            double years = period * PERIOD;
            today[at(period)] = 0.03 + 0.002 * years;
            volatility[0][at(period)] = 0.010;
            volatility[1][at(period)] = 0.008 * std::exp(-0.3 * years);
            volatility[2][at(period)] = 0.004 * (1 - 0.2 * years);
            double squares = 0;
            for (size_t factor = 0; factor < FACTORS && period > 0; factor++) {
                sums[factor] += volatility[factor][at(period)];
                squares += sums[factor] * sums[factor];
            }
            drift[at(period)] = period > 0 ? 0.5 * PERIOD * (squares - before) : 0;
            before = squares;
        }
    }

    /* Returns today's curve. */
    const curve &begin() const {
        return today;
    }

    /* Moves the curve by a period: the first rate has been paid. */
    void move(curve &rates, random_numbers &random) const {
        std::array<double, 2> one = random.normal(), other = random.normal();
        const std::array<double, FACTORS> shocks = {one[0], one[1], other[0]};
        const double scale = std::sqrt(PERIOD);
        for (int period = 1; period < PERIODS; period++) {
            double change = drift[at(period)] * PERIOD;
            for (size_t factor = 0; factor < FACTORS; factor++) {
                change += volatility[factor][at(period)] * scale * shocks[factor];
            }
            rates[at(period - 1)] = rates[at(period)] + change;
        }
    }

  private:
    static size_t at(int period) {
        return static_cast<size_t>(period);
    }

    curve today, drift;
    std::array<curve, FACTORS> volatility;
};

/* Returns what the swap is worth when it begins. */
double worth(const swaption &it, const curve &rates) {
    double bond = 1, fixed = 0;
    for (int period = 0; period < it.length; period++) {
        bond *= std::exp(-rates[static_cast<size_t>(period)] * PERIOD);
        fixed += it.rate * PERIOD * bond;
    }
    return 1 - bond - fixed;
}

price simulate(const market &of, const swaption &it, uint64_t seed, int trials) {
    random_numbers random(seed);
    double sum = 0, squares = 0, bonds = 0;
    for (int trial = 0; trial < trials; trial++) {
        curve rates = of.begin();
        double discount = 1;
        for (int period = 0; period < it.wait; period++) {
            discount *= std::exp(-rates[0] * PERIOD);
            of.move(rates, random);
        }
        double payoff = discount * std::max(worth(it, rates), 0.0);
        sum += payoff;
        squares += payoff * payoff;
        bonds += discount;
    }
    double mean = sum / trials;
    double variance = std::max(squares / trials - mean * mean, 0.0);
    return {mean, std::sqrt(variance / trials), bonds / trials};
}

/* The threads begin and end in here. */
std::chrono::nanoseconds price_all(const std::vector<swaption> &swaptions,
                                   std::vector<price> &prices, size_t thread_count, int trials) {
    auto begin = std::chrono::steady_clock::now();
    {
        const market of;
        std::vector<std::thread> threads;
        for (size_t number = 0; number < thread_count; number++) {
            threads.emplace_back([&, number] {
                size_t end = swaptions.size() * (number + 1) / thread_count;
                for (size_t index = swaptions.size() * number / thread_count; index < end;
                     index++) {
                    prices[index] = simulate(of, swaptions[index], index + 1, trials);
                }
            });
        }
        for (std::thread &thread : threads) {
            thread.join();
        }
    }
    return std::chrono::steady_clock::now() - begin;
}

/* Swaptions that differ in their rates alone, so that all take as long, as in the benchmark. */
std::vector<swaption> portfolio(size_t count) {
    std::vector<swaption> all;
    for (size_t index = 0; index < count; index++) {
        all.push_back(
            {6, 8, 0.02 + 0.03 * static_cast<double>(index) / static_cast<double>(count)});
    }
    return all;
}
} // namespace

int main(int count, char **arguments) {
    if (count < 4 || std::atoi(arguments[1]) < 1 || std::atoi(arguments[2]) < 1 ||
        std::atoi(arguments[3]) < 1) {
        std::printf("swaptions THREADS SWAPTIONS TRIALS [OUTPUT]\n");
        return 2;
    }
    auto threads = static_cast<size_t>(std::atoi(arguments[1]));
    std::vector<swaption> swaptions = portfolio(static_cast<size_t>(std::atoi(arguments[2])));
    std::vector<price> prices(swaptions.size());
    auto took = price_all(swaptions, prices, threads, std::atoi(arguments[3]));
    std::printf("%zu swaptions, %s trials, %zu threads: %lld ns\n", swaptions.size(), arguments[3],
                threads, static_cast<long long>(took.count()));
    if (count > 4) {
        std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(arguments[4], "w"),
                                                              std::fclose);
        if (!file) {
            std::printf("swaptions: cannot write %s\n", arguments[4]);
            return 1;
        }
        for (size_t index = 0; index < prices.size(); index++) {
            const price &it = prices[index];
            std::fprintf(file.get(), "%d %d %.4f %.12f %.12f %.12f\n", swaptions[index].wait,
                         swaptions[index].length, swaptions[index].rate, it.value, it.error,
                         it.bond);
        }
    }
    return 0;
}
