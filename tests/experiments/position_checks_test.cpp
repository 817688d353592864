// What position schemes, encodings and tasks need of each other is checked when the config is read.
#include <gmock/gmock.h>

#include "experiments/experiment.h"
#include "experiments/memory.h"
#include "experiments/settings.h"

namespace lengthwise {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Experiment made(std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(), {"--model.width=16", "--model.heads=2", "--evaluate.examples=20"});
  const auto lengths = [](const std::string& option) { return option.starts_with("--train.lengths="); };
  if (std::ranges::none_of(overrides, lengths)) overrides.push_back("--train.lengths=1..4");
  return make_experiment(read_config(all_sections(), {}, overrides));
}

std::string refused(const std::vector<std::string>& overrides) {
  try {
    made(overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "not refused";
}

TEST(PositionChecks, StretchingTwiceIsRefused) {
  const std::vector<std::string> twice{"--task.name=parity", "--encoding.name=rope", "--positions.scheme=interpolated",
                                       "--rope.scaling=yarn"};
  EXPECT_THAT(refused(twice), AllOf(HasSubstr("rope"), HasSubstr("interpolated"), HasSubstr("a second time")));
  EXPECT_NO_THROW(made({"--task.name=parity", "--encoding.name=rope", "--positions.scheme=interpolated"}));
  EXPECT_NO_THROW(made({"--task.name=parity", "--encoding.name=rope", "--rope.scaling=yarn"}));
}

TEST(PositionChecks, HintsMustComeFromTheTask) {
  EXPECT_NO_THROW(made({"--task.name=add_dec", "--encoding.name=abacus+rope", "--positions.scheme=abacus_ids"}));
  EXPECT_NO_THROW(
      made({"--task.name=add_dec", "--encoding.name=abacus+rope"}));  // the significance the task hands over
  EXPECT_THAT(refused({"--task.name=parity", "--encoding.name=none", "--positions.scheme=abacus_ids"}),
              AllOf(HasSubstr("positions.scheme = abacus_ids needs ids of channel 'digit' from the task"),
                    HasSubstr("task.name = parity hands over none")));
  EXPECT_THAT(refused({"--task.name=parity", "--encoding.name=abacus"}),
              HasSubstr("channel 'digit', which neither positions.scheme = sequential nor the task gives"));
  EXPECT_THAT(refused({"--task.name=parity", "--encoding.name=rope2d_axial"}), HasSubstr("channel 'row'"));
  EXPECT_NO_THROW(
      made({"--task.name=add_k", "--encoding.name=coupled+coupled_operand", "--positions.scheme=coupled_ids"}));
  EXPECT_THAT(
      refused({"--task.name=parity", "--encoding.name=coupled+coupled_operand", "--positions.scheme=coupled_ids"}),
      HasSubstr("channel 'operand'"));
  const std::vector<std::string> shared{"--task.name=add_dec", "--positions.scheme=coupled_ids",
                                        "--coupled_ids.sequence=coupled", "--learned.positions=203"};
  for (const char* encoding : {"rope", "t5", "learned"}) {
    auto read = shared;
    read.push_back(join("--encoding.name=", encoding));
    EXPECT_NO_THROW(made(read)) << encoding;
  }
  auto logarithmic = shared;
  logarithmic.push_back("--encoding.name=fire");
  EXPECT_THAT(refused(logarithmic), HasSubstr("needs ids that grow"));
  EXPECT_NO_THROW(
      made({"--task.name=parity", "--encoding.name=rope2d_axial", "--positions.scheme=grid", "--grid.columns=3"}));
}

TEST(PositionChecks, TokensWithoutAPlaceNeedTheGridScheme) {
  const std::vector<std::string> causal{"--task.name=grid_copy", "--encoding.name=rope2d_axial"};  // BOS has no place
  EXPECT_THAT(refused(causal), AllOf(HasSubstr("without a place"), HasSubstr("positions.scheme = grid")));
  auto placed = causal;
  placed.push_back("--positions.scheme=grid");
  EXPECT_NO_THROW(made(placed));
  auto bidirectional = causal;
  bidirectional.push_back("--model.attention=bidirectional");
  EXPECT_NO_THROW(made(bidirectional));
}

TEST(PositionChecks, TablesMustHoldWhatTrainingDraws) {
  const std::vector<std::string> shifted{"--task.name=parity", "--encoding.name=learned", "--positions.scheme=shifted",
                                         "--shifted.max_shift=20"};
  EXPECT_THAT(refused(shifted), AllOf(HasSubstr("in training"), HasSubstr("positions.scheme = shifted"),
                                      HasSubstr("set learned.positions to 27 or more")));
  auto enlarged = shifted;
  enlarged.push_back("--learned.positions=27");  // BOS, 4 bits, SEP and a bit, moved by up to 20
  EXPECT_NO_THROW(made(enlarged));
  auto clamped = shifted;
  clamped.push_back("--learned.past=clamp");  // a policy for evaluation
  EXPECT_THAT(refused(clamped), HasSubstr("in training"));
  EXPECT_THAT(refused({"--task.name=add_dec", "--encoding.name=abacus", "--positions.scheme=abacus_ids",
                       "--abacus.positions=50"}),
              HasSubstr("positions 0 to 49"));
}

TEST(PositionChecks, WhatServesALengthIsNamed) {
  EXPECT_THAT(refused({"--task.name=parity", "--encoding.name=learned", "--evaluate.lengths=4,10"}),
              HasSubstr("evaluate shorter, set learned.past to clamp or tile or resample, or set evaluate.undefined"));
  EXPECT_THAT(refused({"--task.name=add_dec", "--encoding.name=coupled", "--positions.scheme=coupled_ids",
                       "--coupled.positions=50"}),
              HasSubstr("set coupled.positions to 202 or more"));
}

// Ids go up to 506, but no two tokens of a sequence are farther apart than 6.
TEST(PositionChecks, TablesOfDistancesDoNotCareWhereASequenceStarts) {
  const std::vector<std::string> shifted{"--task.name=parity", "--encoding.name=scalar_bias",
                                         "--scalar_bias.clip_mode=error", "--positions.scheme=shifted",
                                         "--evaluate.lengths=4"};
  EXPECT_NO_THROW(made(shifted));
  auto narrow = shifted;
  narrow.push_back("--scalar_bias.max_distance=5");
  EXPECT_THAT(refused(narrow), AllOf(HasSubstr("serves distances 0 to 5"), HasSubstr("gives distance 6"),
                                     HasSubstr("set scalar_bias.max_distance to 6 or more")));
}

TEST(PositionChecks, LongerThanTheRangeOrTheTableIsRefusedOrMarked) {
  const std::vector<std::string> narrow{"--task.name=parity", "--encoding.name=rope", "--positions.scheme=randomized",
                                        "--randomized.range=30", "--evaluate.lengths=4,40"};
  EXPECT_THAT(refused(narrow), HasSubstr("numbers at most 30 tokens, and length 40"));
  auto marked = narrow;
  marked.push_back("--evaluate.undefined=mark");
  const auto cells = made(marked).evaluation_cells;
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_FALSE(cells[0].undefined);
  EXPECT_TRUE(cells[1].undefined);
  EXPECT_THAT(refused({"--task.name=add_dec", "--encoding.name=abacus", "--positions.scheme=abacus_ids",
                       "--abacus.positions=110", "--evaluate.lengths=4,200"}),
              HasSubstr("positions 0 to 109"));
}

TEST(PositionChecks, DrawnDistancesNeedABiasByDistance) {
  EXPECT_NO_THROW(made(
      {"--task.name=parity", "--encoding.name=alibi", "--positions.scheme=randomized", "--randomized.form=offsets"}));
  EXPECT_THAT(refused({"--task.name=parity", "--encoding.name=rope", "--positions.scheme=randomized",
                       "--randomized.form=offsets"}),
              HasSubstr("draws distances instead"));
}

TEST(LengthLaw, ReadsTheListItsWay) {
  const auto lengths = [](const std::string& law) {
    return make_experiment(read_config(all_sections(), {},
                                       {"--task.name=parity", "--train.lengths=4,8,6", "--train.length_law=" + law}))
        .train.lengths;
  };
  EXPECT_EQ(lengths("uniform"), (std::vector<std::size_t>{4, 5, 6, 7, 8}));
  EXPECT_EQ(lengths("list"), (std::vector<std::size_t>{4, 6, 8}));
  EXPECT_EQ(lengths("fixed"), std::vector<std::size_t>{8});
  EXPECT_EQ(lengths("rev_exp"), (std::vector<std::size_t>{4, 6, 8}));
  EXPECT_EQ(lengths("staircase"), (std::vector<std::size_t>{4, 6, 8}));
}

TEST(LengthLaw, IsReadFromTheConfig) {
  const auto law = [](const std::vector<std::string>& more) {
    std::vector<std::string> all{"--task.name=parity", "--train.lengths=4,8,6", "--train.steps=100"};
    all.insert(all.end(), more.begin(), more.end());
    return make_experiment(read_config(all_sections(), {}, all)).train.law;
  };
  const LengthLaw none = law({});
  EXPECT_TRUE(none.up_to.empty() && none.stair_steps == 0 && !none.newest && !none.per_batch);
  EXPECT_TRUE(law({"--train.length_per=batch"}).per_batch);
  EXPECT_EQ(law({"--train.length_law=rev_exp", "--train.length_tau=0.5"}).up_to, exponential_shares({4, 6, 8}, 0.5));
  EXPECT_EQ(law({"--train.length_law=staircase"}).stair_steps, 33u);
  EXPECT_EQ(law({"--train.length_law=staircase", "--train.stair_steps=49"}).stair_steps, 49u);
  EXPECT_TRUE(law({"--train.length_law=staircase", "--train.stair_draw=newest"}).newest);
}

TEST(LengthLaw, IsRefusedWhereTrainingWouldMissALength) {
  const std::vector<std::string> stairs{"--task.name=parity", "--train.lengths=1..5", "--train.length_law=staircase",
                                        "--train.steps=100", "--train.stair_steps=25"};
  EXPECT_THAT(refused(stairs), AllOf(HasSubstr("--train.stair_steps is 25"), HasSubstr("joins after step 100")));
  EXPECT_THAT(refused({"--task.name=parity", "--train.length_law=staircase", "--train.steps=3"}),
              HasSubstr("train.stair_steps is 1"));
  const auto rare = [](const std::string& tau, const std::string& per) {
    return refused({"--task.name=parity", "--train.lengths=1..20", "--train.length_law=rev_exp", "--train.steps=100",
                    "--train.length_tau=" + tau, "--train.length_per=" + per});
  };
  EXPECT_THAT(rare("0.5", "example"), AllOf(HasSubstr("--train.length_tau is 0.5"), HasSubstr("20, the longest")));
  EXPECT_THAT(rare("2", "example"), HasSubstr("1, the shortest"));
  EXPECT_EQ(rare("0.8", "example"), "not refused");
  EXPECT_THAT(rare("0.8", "batch"), HasSubstr("less than once in 100 draws"));
  EXPECT_THAT(refused({"--task.name=parity", "--train.length_tau=0"}), HasSubstr("train.length_tau"));
}

TEST(Losses, AreRefusedWhereTheTaskHasNoUseForThem) {
  const std::string all = "--train.loss=all", squared = "--train.set_loss=mse";
  EXPECT_EQ(refused({"--task.name=parity", all}), "not refused");
  EXPECT_EQ(refused({"--task.name=parity", all, "--train.pack=30"}), "not refused");
  EXPECT_EQ(refused({"--task.name=recall", "--train.lengths=8", all}), "not refused");  // values follow their keys
  EXPECT_EQ(refused({"--task.name=dyck", "--train.lengths=4", "--evaluate.lengths=4", squared}), "not refused");
  EXPECT_THAT(refused({"--task.name=parity", "--model.attention=bidirectional", all}),
              AllOf(HasSubstr("--train.loss is all"), HasSubstr("causal")));
  EXPECT_THAT(refused({"--task.name=dyck", "--train.lengths=4", all}), HasSubstr("are no tokens of a sequence"));
  EXPECT_THAT(refused({"--task.name=canvas", "--train.lengths=8", all}), HasSubstr("are no tokens of a sequence"));
  EXPECT_EQ(refused({"--task.name=flip_flop", "--train.lengths=4", all}), "not refused");
  EXPECT_THAT(refused({"--task.name=group_word", all}), HasSubstr("right answer is another one"));
  EXPECT_THAT(refused({"--task.name=text", "--text.corpus=kjv", "--train.lengths=8", all}),
              HasSubstr("a text asks that anyway"));
  EXPECT_THAT(refused({"--task.name=parity", squared}),
              AllOf(HasSubstr("--train.set_loss is mse"), HasSubstr("parity has one right answer")));
}

// Two layers of width 4096 keep 4 x 4096 numbers of each token at the least, in training 2 x 8 x 4096.
TEST(Memory, WhatCannotFitIsRefusedBeforeAnyWork) {
  const double tokens = usable_memory() / (4 * 4096 * 4);
  const auto said = [](std::vector<std::string> overrides, Purpose purpose = Purpose::run) {
    overrides.insert(overrides.begin(), {"--task.name=induction", "--train.length_law=fixed"});
    try {
      make_experiment(read_config(all_sections(), {}, overrides), purpose);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  const auto lengths = [&](const char* section, double count) {
    return join("--", section, ".lengths=", static_cast<std::int64_t>(count));
  };
  EXPECT_THAT(said({"--model.width=4096", lengths("evaluate", 1.1 * tokens)}),
              AllOf(HasSubstr("--evaluate.lengths: length "), HasSubstr("GiB or more"), HasSubstr("evaluated;")));
  const std::vector<std::string> trained{"--model.width=4096", "--evaluate.lengths=8",
                                         lengths("train", 1.1 * tokens / 4)};
  EXPECT_THAT(said(trained), AllOf(HasSubstr("--train.lengths: length "), HasSubstr("trained;")));
  EXPECT_EQ(said(trained, Purpose::evaluate), "nothing");  // it was trained elsewhere
  EXPECT_THAT(said({"--model.width=65536", "--model.heads=64", "--model.layers=1000", "--evaluate.lengths=8"}),
              HasSubstr("GiB or more"));
  EXPECT_EQ(said({"--model.width=4096", lengths("evaluate", 1.1 * tokens)}, Purpose::look), "nothing");
  EXPECT_EQ(said({"--encoding.name=learned", "--train.lengths=8", "--evaluate.lengths=8,1000000000",
                  "--evaluate.undefined=mark"}),
            "nothing");  // left out
  EXPECT_THAT(said({"--train.lengths=8", "--evaluate.lengths=8", "--model.width=4096",
                    join("--train.pack=", static_cast<std::int64_t>(tokens))}),
              HasSubstr("--train.pack: length 8 has "));
  EXPECT_THAT(said({"--evaluate.lengths=9223372036854775807"}), HasSubstr("from 1 to 1073741824"));
}

// What was measured, in bytes: 435 MB at 32,770 tokens through 4 layers of width 128, and 235 MB to train on 4,098.
TEST(Memory, TheBoundIsFarBelowWhatIsMeasured) {
  ModelConfig model;
  model.shape = {.layers = 4, .width = 128, .heads = 4};
  EXPECT_LT(least_memory(model, 32770, false, 4), 435e6 / 2);
  EXPECT_LT(least_memory(model, 4098, true, 4), 235e6 / 2);
  EXPECT_EQ(least_memory(model, 100, false, 8), 2 * least_memory(model, 100, false, 4));
}

// In a config file, sections for other encodings lie ready; what is typed is meant.
TEST(IdleOptions, OnTheCommandLineAreNamed) {
  const auto said = [](const std::vector<std::string>& overrides) {
    testing::internal::CaptureStderr();
    made(overrides);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(said({"--task.name=parity", "--encoding.name=rope", "--t5.max_distance=64"}),
            "lengthwise: --t5.max_distance has no effect: nothing in this run uses [t5].\n");
  EXPECT_EQ(said({"--task.name=parity", "--encoding.name=t5", "--t5.max_distance=64"}), "");
  EXPECT_EQ(said({"--task.name=parity", "--train.length_tau=0.8"}),
            "lengthwise: --train.length_tau has no effect: train.length_law is uniform, not rev_exp.\n");
  EXPECT_EQ(said({"--task.name=parity", "--train.length_tau=0.8", "--train.length_law=rev_exp"}), "");
  EXPECT_EQ(said({"--task.name=parity", "--encoding.name=rope", "--rope.factor=4"}),
            "lengthwise: --rope.factor has no effect with the other options of [rope] as they are: see lengthwise "
            "describe rope.\n");
  EXPECT_EQ(said({"--task.name=parity", "--encoding.name=rope", "--rope.factor=4", "--rope.scaling=yarn"}), "");
  EXPECT_THAT(said({"--task.name=parity", "--encoding.name=rope", "--rope.mscale=2", "--rope.scaling=llama3"}),
              HasSubstr("--rope.mscale has no effect"));
}

}  // namespace
}  // namespace lengthwise
