#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {

std::unique_ptr<PromptTask> prompt_task(const std::string& name, const Values& values, Layout layout) {
  auto* task = dynamic_cast<PromptTask*>(task_with(name, values, layout).release());
  if (!task) throw std::logic_error(name + " is no PromptTask");
  return std::unique_ptr<PromptTask>(task);
}

std::unique_ptr<DenseTask> dense_task(const std::string& name, const Values& values, Layout layout) {
  auto* task = dynamic_cast<DenseTask*>(task_with(name, values, layout).release());
  if (!task) throw std::logic_error(name + " is no DenseTask");
  return std::unique_ptr<DenseTask>(task);
}

std::string words(const Task& task, const std::vector<int>& tokens) {
  std::string text;
  for (const int token : tokens) text += (text.empty() ? "" : " ") + task.word(token);
  return text;
}

std::vector<int> tokens(const Task& task, const std::string& text) {
  std::istringstream stream(text);
  std::vector<int> all;
  for (std::string word; stream >> word;)
    for (int token = 0; token < task.vocabulary(); ++token)
      if (task.word(token) == word) all.push_back(token);
  return all;
}

std::string words(const Task& task, const Labels& labels, std::size_t positions) {
  std::vector<std::string> cells(positions, ".");
  for (std::size_t i = 0; i < labels.tokens.size(); ++i) cells[labels.at[i]] = task.word(labels.tokens[i]);
  for (std::size_t i = 0; i < labels.sets.size(); ++i) {
    std::string& cell = cells[labels.at[i]] = "";
    for (int token = 0; token < task.vocabulary(); ++token)
      if (labels.sets[i] >> token & 1) cell += (cell.empty() ? "" : "|") + task.word(token);
  }
  std::string text;
  for (const std::string& cell : cells) text += (text.empty() ? "" : " ") + cell;
  return text;
}

void expect_input_error(const std::function<void()>& act, const std::vector<std::string>& parts) {
  try {
    act();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const InputError& error) {
    for (const std::string& part : parts) EXPECT_THAT(error.what(), testing::HasSubstr(part));
  }
}

void expect_well_formed(const Task& task, const Example& example, std::size_t n) {
  const std::size_t rows = example.tokens.size();
  ASSERT_GE(rows, 1u);
  ASSERT_LE(rows, task.max_tokens(n));
  ASSERT_EQ(example.targets.size() + example.target_sets.size(), example.scored.size());
  ASSERT_TRUE(example.targets.empty() || example.target_sets.empty());
  ASSERT_GE(example.answer, 1u);
  ASSERT_LE(example.pad + example.answer, example.scored.size());
  ASSERT_LT(example.scored.back(), rows);
  ASSERT_TRUE(std::is_sorted(example.scored.begin(), example.scored.end(), std::less_equal<>()));  // strictly
  for (const std::vector<int>* ids : {&example.tokens, &example.targets})
    for (const int token : *ids) ASSERT_TRUE(token >= 0 && token < task.vocabulary()) << token;
  for (const std::uint64_t set : example.target_sets)
    ASSERT_TRUE(set != 0 && task.vocabulary() <= 64 && (task.vocabulary() == 64 || set >> task.vocabulary() == 0))
        << set;
  ASSERT_TRUE(example.first_seen.empty() || example.first_seen.size() == rows);
  for (std::size_t row = 0; row < example.first_seen.size(); ++row) ASSERT_LE(example.first_seen[row], row);
  for (const auto& [channel, ids] : example.ids) ASSERT_EQ(ids.size(), rows) << channel;
  ASSERT_EQ(example.features.size(), rows * task.features());
  if (example.pooled) {
    ASSERT_EQ(example.scored.size(), 1u);
  }
}

void expect_same_in_any_order(const std::string& name, const Values& values, const Draws& batch, Layout layout) {
  const auto task = task_with(name, values, layout), other = task_with(name, values, layout);
  const std::vector<Example> expected = batch.examples(*task);
  for (std::size_t i = batch.size(); i-- > 0;) ASSERT_EQ(batch.example(*other, i), expected[i]);
  std::vector<Example> threaded(batch.size());
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < batch.size(); i += 4) threaded[i] = batch.example(*task, i);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(threaded == expected);
}

void expect_independent_streams(const Task& task, std::size_t n) {
  const auto examples = [&](Stream stream, std::uint64_t seed) { return Draws{stream, {n}, 40, seed}.examples(task); };
  const std::vector<Example> train = examples(Stream::train, 1);
  EXPECT_NE(train, examples(Stream::train, 2));
  EXPECT_NE(train, examples(Stream::validation, 1));
  EXPECT_NE(train, examples(Stream::evaluation, 1));
  EXPECT_NE(examples(Stream::validation, 1), examples(Stream::evaluation, 1));
  EXPECT_NE(std::vector<Example>(train.begin(), train.begin() + 20),
            std::vector<Example>(train.begin() + 20, train.end()));
}

/// Calls check(n, sample, example) for `count` examples of every length and stream. The streams share no `input` where
/// there are shares.
template <class T, class Check>
static void check_picks(const T& task, const Draws& shape, std::vector<int> T::Sample::*input, Check check) {
  for (const std::size_t n : shape.lengths) {
    std::map<std::vector<int>, Stream> owner;
    const std::optional<double> space = task.space(n);
    const bool has_shares = space && *space >= 16 && *space <= 0x1p32;
    for (const Stream stream : every_stream) {
      const Draws batch{stream, {n}, shape.count};
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const Draw draw = batch.draw(task, i);
        const typename T::Sample sample = task.pick(n, draw);
        ASSERT_NO_FATAL_FAILURE(check(n, sample, task.example(n, draw)));
        if (has_shares) {
          ASSERT_EQ(owner.emplace(sample.*input, stream).first->second, stream) << words(task, sample.*input);
        }
      }
    }
  }
}

void expect_prompts_and_answers(const PromptTask& task, const Draws& shape, std::size_t reached) {
  const Layout layout = task.layout();
  std::map<std::size_t, std::size_t> longest_prompt, longest_target;
  const auto check = [&](std::size_t n, const PromptTask::Sample& sample, const Example& example) {
    const auto& [prompt, target, ids] = sample;
    longest_prompt[n] = std::max(longest_prompt[n], prompt.size());
    longest_target[n] = std::max(longest_target[n], target.size());
    const std::size_t pad = task.pad_tokens(target);
    ASSERT_LT(pad, target.size());
    const std::vector<int> answer(target.begin() + static_cast<std::ptrdiff_t>(pad), target.end());
    ASSERT_EQ(words(task, answer), words(task, task.solve(prompt))) << words(task, prompt);

    std::vector<int> rows = prompt, targets = target;
    if (layout == Layout::causal) {
      rows.insert(rows.begin(), BOS);
      rows.push_back(SEP);
      rows.insert(rows.end(), target.begin(), target.end());
      targets.push_back(EOS);
    } else if (layout == Layout::encoder) {
      rows.insert(rows.end(), task.target_tokens(n), ANS);
    }
    ASSERT_EQ(example.tokens, rows);
    ASSERT_EQ(example.targets, targets);
    ASSERT_EQ(example.pad, pad);
    ASSERT_EQ(example.answer, answer.size());
    // Causal: the row of SEP on. Encoder: the first rows of ANS. Dense: all rows.
    ASSERT_EQ(example.scored.front(), layout == Layout::causal    ? prompt.size() + 1
                                      : layout == Layout::encoder ? prompt.size()
                                                                  : 0);
    ASSERT_EQ(example.scored.back(), example.scored.front() + targets.size() - 1);
    std::vector<std::size_t> first_seen;
    const std::size_t last = prompt.size() - (layout == Layout::causal ? 0 : 1);
    for (std::size_t row = 0; task.hides_prompt() && row < rows.size(); ++row)
      first_seen.push_back(row <= last ? 0 : last);
    ASSERT_EQ(example.first_seen, first_seen);
  };
  ASSERT_NO_FATAL_FAILURE(check_picks(task, shape, &PromptTask::Sample::prompt, check));
  for (const std::size_t n : shape.lengths) {
    EXPECT_LE(longest_prompt[n], task.prompt_tokens(n)) << n;
    EXPECT_LE(longest_target[n], task.target_tokens(n)) << n;
    if (n > reached) continue;
    EXPECT_EQ(longest_prompt[n], task.prompt_tokens(n)) << n;
    EXPECT_EQ(longest_target[n], task.target_tokens(n)) << n;
  }
}

void expect_strings_and_labels(const DenseTask& task, const Draws& shape) {
  std::map<std::size_t, std::size_t> longest;
  const auto check = [&](std::size_t n, const DenseTask::Sample& sample, const Example& example) {
    const auto& [string, labels] = sample;
    longest[n] = std::max(longest[n], string.size());
    ASSERT_EQ(labels, task.solve(string)) << words(task, string) << "\nlabelled " << words(task, labels, string.size())
                                          << "\nsolved   " << words(task, task.solve(string), string.size());
    std::vector<int> rows = string;
    std::vector<std::size_t> scored = labels.at;
    if (task.layout() == Layout::causal) {
      rows.insert(rows.begin(), BOS);
      for (std::size_t& row : scored) ++row;
    }
    ASSERT_EQ(example.tokens, rows);
    ASSERT_EQ(example.scored, scored);
    ASSERT_EQ(example.targets, labels.tokens);
    ASSERT_EQ(example.target_sets, labels.sets);
    ASSERT_EQ(example.answer, labels.at.size());
  };
  ASSERT_NO_FATAL_FAILURE(check_picks(task, shape, &DenseTask::Sample::string, check));
  for (const std::size_t n : shape.lengths) EXPECT_EQ(longest[n], task.string_tokens(n)) << n;
}

/// Every option has a sentence, and a changed one changes both the examples and the definition hash.
static void expect_options_reach_examples(const std::string& name, const Values& values, const Draws& batch) {
  const TaskInfo& info = tasks().at(name);
  const Options base(info.section, values);
  for (const OptionSpec& spec : info.section.options) {
    EXPECT_NE(spec.sentence, "") << spec.name;
    std::vector<std::string> others;
    if (spec.type == OptionSpec::Type::choice) others = spec.choices;
    if (spec.type == OptionSpec::Type::integer) {
      const std::int64_t value = base.integer(spec.name);
      others = {std::to_string(static_cast<double>(value) < spec.high ? value + 1 : value - 1)};
    }
    if (spec.type == OptionSpec::Type::real) others = {join(base.real(spec.name) + 0.1)};
    if (spec.type == OptionSpec::Type::flag) others = {"true", "false"};
    if (spec.name == "corpus") continue;          // which a text has in place of its path
    if (spec.name == "compat") continue;          // which adds lengths and changes no other
    if (spec.name == "hints") others = {"1000"};  // one hint would not number the items
    if (spec.name == "scratchpad") others = {"none", "o", "v", "icovr"};
    if (spec.name == "group") others = {"z5", "s4", "a4", "a5"};
    for (const std::string& other : others) {
      Values changed = values;
      changed[spec.name] = other;
      const Options options(info.section, changed);
      if (options.values() == base.values()) continue;
      EXPECT_NE(definition_hash(name, options), definition_hash(name, base)) << spec.name << " = " << other;
      EXPECT_NE(batch.examples(*task_with(name, changed)), batch.examples(*task_with(name, values)))
          << spec.name << " = " << other;
    }
  }
}

void expect_task_contract(const std::string& name, const Values& values, const std::vector<std::size_t>& lengths,
                          const std::vector<Layout>& layouts, std::size_t reached) {
  const TaskInfo& info = tasks().at(name);
  EXPECT_NE(info.section.sentence, "");
  EXPECT_NE(info.length, "");
  EXPECT_NE(info.source, "");
  EXPECT_NE(info.definition, "");

  const auto causal = task_with(name, values);
  const bool has_prompts = dynamic_cast<PromptTask*>(causal.get()) != nullptr;
  const bool has_labels = dynamic_cast<DenseTask*>(causal.get()) != nullptr;
  if (causal->space(lengths.back()).value_or(2) > 1) expect_independent_streams(*causal, lengths.back());
  expect_options_reach_examples(name, values, {Stream::train, lengths, 20});
  for (const Layout layout : layouts) {
    if (layout == Layout::encoder && !has_prompts && !has_labels) continue;
    SCOPED_TRACE(join(name, layout == Layout::causal ? ", causal" : ", encoder"));
    const auto task = task_with(name, values, layout);
    const std::size_t count = 10000 / lengths.size() / 3 / (has_prompts || has_labels ? 2 : 1);
    for (const Stream stream : every_stream) {
      const Draws batch{stream, lengths, std::min<std::size_t>(count, 100)};
      for (const std::size_t n : lengths) {
        ASSERT_NO_THROW(task->check_length(n));
        ASSERT_NO_THROW(task->check_supply(stream, n, batch.count));
      }
      for (std::size_t i = 0; i < batch.size(); ++i)
        ASSERT_NO_FATAL_FAILURE(expect_well_formed(*task, batch.example(*task, i), batch.length(i)));
      ASSERT_NO_FATAL_FAILURE(expect_same_in_any_order(name, values, batch, layout));
    }
    if (has_prompts) {
      const auto prompts = prompt_task(name, values, layout);
      ASSERT_NO_FATAL_FAILURE(expect_prompts_and_answers(*prompts, {Stream::train, lengths, count}, reached));
    }
    if (has_labels) {
      const auto strings = dense_task(name, values, layout);
      ASSERT_NO_FATAL_FAILURE(expect_strings_and_labels(*strings, {Stream::train, lengths, count}));
    }
  }
}

}  // namespace lengthwise
