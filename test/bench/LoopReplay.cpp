// loop-replay SPACE.csv [--seeds N] [--no-feedback] [--no-weights] [--learn SPACE.csv]... [--margin M]
// [--say]: the loop on a recorded space. Prints, a line a seed, how many candidates were measured until one
// was within 5 % of the best. loop-replay SPACE.csv --store FILE --delay MS: one search that can be killed
// and goes on; prints its result.

#include "feedback/loop/Loop.h"
#include "test/bench/RecordedSpace.h"

#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/raw_ostream.h>

using namespace warpwright::loop;

namespace {

struct Arguments {
  std::string space, store;
  std::vector<std::string> learn;
  unsigned seeds = 30, delay = 0;
  double margin = 1.28;
  bool useFeedback = true, useWeights = true, say = false;
};

[[noreturn]] void fail(llvm::Error error) {
  llvm::errs() << "loop-replay: " << llvm::toString(std::move(error)) << '\n';
  std::exit(3);
}

template <typename T> T take(llvm::Expected<T> value) {
  if (!value)
    fail(value.takeError());
  return std::move(*value);
}

RecordedSpace openSpace(const Arguments &arguments, const std::string &path) {
  RecordedSpace space = take(RecordedSpace::read(path));
  space.screen(arguments.margin);
  return space;
}

LoopOptions optionsOf(const Arguments &arguments, uint64_t seed) {
  LoopOptions options;
  options.seed = seed;
  options.useFeedback = arguments.useFeedback;
  options.useWeights = arguments.useWeights;
  return options;
}

/// The pre-screen over all points: how many it kills, and how many of the good ones.
void printScreen(const RecordedSpace &space) {
  size_t killed = 0, good = 0, killedGood = 0;
  for (size_t i = 0; i < space.candidates().size(); ++i) {
    bool isKilled = space.candidates()[i].screened.kind == warpwright::Verdict::Kind::Declined;
    bool isGood = space.ratio(i) <= 1.02 * space.best();
    killed += isKilled;
    good += isGood;
    killedGood += isKilled && isGood;
  }
  llvm::outs() << llvm::formatv("screen {0} of {1} killed, {2} of {3} good ones\n", killed,
                                space.candidates().size(), killedGood, good);
}

void replay(const Arguments &arguments) {
  RecordedSpace space = openSpace(arguments, arguments.space);
  printScreen(space);
  const double enough = 1.05 * space.best();
  for (uint64_t seed = 1; seed <= arguments.seeds; ++seed) {
    std::unique_ptr<Store> store = take(Store::open(":memory:"));
    for (const std::string &path : arguments.learn)
      for (uint64_t earlier = 1; earlier <= 3; ++earlier) {
        RecordedSpace learnt = openSpace(arguments, path);
        take(Loop(learnt, *store, optionsOf(arguments, 1000 * seed + earlier)).run());
      }
    LoopOptions options = optionsOf(arguments, seed);
    options.mostRounds = 300;
    options.roundsWithoutGain = 300;
    options.enough = enough;
    Loop loop(space, *store, options);
    if (arguments.say)
      loop.onProgress([](llvm::StringRef line) { llvm::errs() << line << '\n'; });
    LoopResult result = take(loop.run());
    // As the search would have ended by itself: what it had after three rounds without gain.
    std::unique_ptr<Store> again = take(Store::open(":memory:"));
    LoopResult usual = take(Loop(space, *again, optionsOf(arguments, seed)).run());
    llvm::outs() << llvm::formatv("seed {0} evaluations {1} ratio {2:F4} default {3} {4:F4}\n", seed,
                                  result.outcomes.size(), result.ratio / space.best(), usual.outcomes.size(),
                                  usual.ratio / space.best());
  }
}

void searchOnce(const Arguments &arguments) {
  RecordedSpace space = openSpace(arguments, arguments.space);
  space.delay = arguments.delay;
  std::unique_ptr<Store> store = take(Store::open(arguments.store));
  LoopOptions options = optionsOf(arguments, 7);
  options.resume = true;
  options.conditions = "recorded";
  LoopResult result = take(Loop(space, *store, options).run());
  llvm::outs() << llvm::formatv("{0} {1:F6} after {2} candidates, {3} rounds: {4}; {5} recalled\n",
                                result.best ? space.candidates()[*result.best].name() : "original",
                                result.ratio, result.outcomes.size(), result.rounds, result.stopped,
                                result.accounting.recalled);
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef word = argv[i];
    auto next = [&] { return i + 1 < argc ? argv[++i] : ""; };
    if (word == "--no-feedback")
      arguments.useFeedback = false;
    else if (word == "--no-weights")
      arguments.useWeights = false;
    else if (word == "--say")
      arguments.say = true;
    else if (word == "--seeds")
      arguments.seeds = unsigned(std::atoi(next()));
    else if (word == "--delay")
      arguments.delay = unsigned(std::atoi(next()));
    else if (word == "--margin")
      arguments.margin = std::atof(next());
    else if (word == "--learn")
      arguments.learn.push_back(next());
    else if (word == "--store")
      arguments.store = next();
    else
      arguments.space = word.str();
  }
  if (arguments.space.empty()) {
    llvm::errs() << "loop-replay needs a recorded space\n";
    return 3;
  }
  if (arguments.store.empty())
    replay(arguments);
  else
    searchOnce(arguments);
  return 0;
}
