#include "analysis/ir/KernelFacts.h"

#include <nlohmann/json.hpp>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;

Json toJson(const Place &place) {
  return {{"file", place.file}, {"line", place.line}, {"column", place.column}};
}

Json toJson(const SourcePlace &source) {
  if (!source.place.known())
    return nullptr;
  Json json = toJson(source.place);
  json["function"] = source.function;
  if (!source.inlinedAt.empty()) {
    Json frames = Json::array();
    for (const Place &frame : source.inlinedAt)
      frames.push_back(toJson(frame));
    json["inlined_at"] = std::move(frames);
  }
  return json;
}

/// {"grade": ..., "value": ..., "reason": ...}; a constant expression is a number, any other a text.
template <typename T, typename Convert> Json factJson(const Fact<T> &fact, Convert convert) {
  Json json = {{"grade", toString(fact.grade())}};
  if (fact.known())
    json["value"] = convert(fact.value());
  if (!fact.reason().empty())
    json["reason"] = fact.reason();
  return json;
}

Json toJson(const Expression &expression) {
  if (std::optional<int64_t> constant = expression.asConstant())
    return *constant;
  return expression.text();
}

Json toJson(const Fact<Expression> &fact) {
  return factJson(fact, [](const Expression &value) { return toJson(value); });
}

Json toJson(const Fact<bool> &fact) {
  return factJson(fact, [](bool value) { return Json(value); });
}

Json toJson(const MemoryObject &object) {
  return {{"kind", toString(object.kind)}, {"name", object.name}, {"position", object.position}};
}

Json toJson(std::optional<unsigned> loop) {
  return loop ? Json(*loop) : Json(nullptr);
}

Json axesJson(const bool (&axes)[3]) {
  Json json = Json::array();
  for (unsigned axis = 0; axis < 3; ++axis)
    if (axes[axis])
      json.push_back(std::string(1, "xyz"[axis]));
  return json;
}

template <typename T, typename Convert> Json listJson(const std::vector<T> &list, Convert convert) {
  Json json = Json::array();
  for (const T &entry : list)
    json.push_back(convert(entry));
  return json;
}

Json toJson(const MemoryAccess &access) {
  Json json = {{"id", access.id},
               {"place", toJson(access.place)},
               {"space", toString(access.space)},
               {"kind", toString(access.kind)}};
  if (access.kind == AccessKind::Atomic) {
    json["combine"] = toString(access.combine);
    json["result_used"] = access.resultUsed;
  }
  json["bytes"] = access.bytes;
  json["alignment"] = access.alignment;
  json["element_type"] = access.elementType;
  if (access.isVolatile)
    json["volatile"] = true;
  if (!access.cacheHint.empty())
    json["cache_hint"] = access.cacheHint;
  if (!access.instruction.empty())
    json["instruction"] = access.instruction;
  json["object"] = factJson(access.object, [](const MemoryObject &object) { return toJson(object); });
  json["index"] = access.index;
  json["offset"] = toJson(access.offset);
  Json coefficients = Json::object();
  for (unsigned axis = 0; axis < 3; ++axis)
    coefficients[std::string("threadIdx.") + "xyz"[axis]] = toJson(access.threadCoefficient[axis]);
  for (unsigned axis = 0; axis < 3; ++axis)
    coefficients[std::string("blockIdx.") + "xyz"[axis]] = toJson(access.blockCoefficient[axis]);
  json["coefficients"] = std::move(coefficients);
  json["loop_coefficients"] =
      listJson(access.loopCoefficients, [](const MemoryAccess::LoopCoefficient &coefficient) {
        return Json{{"loop", coefficient.loop}, {"bytes", toJson(coefficient.bytes)}};
      });
  json["lane_stride"] = toJson(access.laneStride());
  json["uniform"] = toJson(access.uniform);
  json["data_dependent"] = access.dataDependent;
  json["loop"] = toJson(access.loop);
  json["invariant_in_loop"] = access.invariantInLoop;
  json["contiguous_in_loop"] = access.contiguousInLoop;
  json["divergent_control"] = access.divergentControl;
  json["single_thread_sections"] = access.singleThreadSections;
  return json;
}

Json toJson(const LoopFacts &loop) {
  return {{"id", loop.id},
          {"place", toJson(loop.place)},
          {"parent", toJson(loop.parent)},
          {"depth", loop.depth},
          {"counter", loop.counter},
          {"trip_count", toJson(loop.tripCount)},
          {"uniform_exit", toJson(loop.uniformExit)},
          {"contains_barrier", loop.containsBarrier},
          {"innermost", loop.innermost},
          {"instructions", loop.instructions},
          {"requested_unroll", toJson(loop.requestedUnroll)}};
}

Json toJson(const Reduction &reduction) {
  return {{"loop", reduction.loop},
          {"place", toJson(reduction.place)},
          {"kind", toString(reduction.kind)},
          {"type", reduction.type},
          {"conditional", reduction.conditional},
          {"through_memory", reduction.throughMemory}};
}

Json toJson(const DependenceChain &chain) {
  return {{"loop", chain.loop},
          {"place", toJson(chain.place)},
          {"operations", chain.operations},
          {"through_memory", chain.throughMemory},
          {"reduction", chain.reduction}};
}

Json toJson(const Synchronisation &fact) {
  return {{"id", fact.id},
          {"place", toJson(fact.place)},
          {"kind", toString(fact.kind)},
          {"operation", fact.operation},
          {"divergent_control", fact.divergentControl},
          {"loop", toJson(fact.loop)}};
}

Json toJson(const DivergentBranch &branch) {
  return {{"id", branch.id},
          {"place", toJson(branch.place)},
          {"condition", branch.condition},
          {"thread_axes", axesJson(branch.threadAxes)},
          {"data_dependent", branch.dataDependent},
          {"bounds_guard", branch.boundsGuard},
          {"loop_exit", branch.loopExit},
          {"instructions_taken", branch.instructionsTaken},
          {"instructions_not_taken", branch.instructionsNotTaken},
          {"loop", toJson(branch.loop)}};
}

Json toJson(const SingleThreadSection &section) {
  return {{"id", section.id},
          {"place", toJson(section.place)},
          {"condition", section.condition},
          {"fixed_axes", axesJson(section.fixedAxes)},
          {"instructions", section.instructions},
          {"loops", section.loops},
          {"accesses", section.accesses},
          {"barrier_follows", section.barrierFollows}};
}

Json toJson(const ArithmeticCounts &counts) {
  return {{"loop", toJson(counts.loop)},
          {"depth", counts.depth},
          {"fp16", counts.fp16},
          {"bf16", counts.bf16},
          {"fp32", counts.fp32},
          {"fp64", counts.fp64},
          {"fp_division", counts.fpDivision},
          {"int32", counts.int32},
          {"int64", counts.int64},
          {"integer_division", counts.integerDivision},
          {"special", counts.special},
          {"conversions", counts.conversions},
          {"tensor", counts.tensor}};
}

Json toJson(const IntegerDivision &division) {
  return {{"place", toJson(division.place)},
          {"loop", toJson(division.loop)},
          {"remainder", division.remainder},
          {"signed", division.isSigned},
          {"bits", division.bits},
          {"divisor", toString(division.divisor)},
          {"divisor_text", division.divisorText}};
}

Json toJson(const SpecialFunction &function) {
  return {{"place", toJson(function.place)},
          {"loop", toJson(function.loop)},
          {"name", function.name},
          {"type", function.type},
          {"approximate", function.approximate}};
}

Json toJson(const DoubleInFloat &fact) {
  return {{"place", toJson(fact.place)},           {"loop", toJson(fact.loop)},
          {"operation", fact.operation},           {"operands_from_float", fact.operandsFromFloat},
          {"result_to_float", fact.resultToFloat}, {"literal", fact.literal}};
}

Json toJson(const LocalArray &array) {
  return {{"id", array.id},
          {"place", toJson(array.place)},
          {"name", array.name},
          {"bytes", array.bytes},
          {"type", array.type},
          {"dynamic_index", array.dynamicIndex},
          {"unrollable", array.unrollable},
          {"escapes", array.escapes}};
}

Json toJson(const SharedVariable &variable) {
  return {{"id", variable.id},
          {"name", variable.name},
          {"bytes", variable.bytes},
          {"dynamic", variable.dynamic},
          {"alignment", variable.alignment},
          {"element_type", variable.elementType},
          {"element_bytes", variable.elementBytes},
          {"extents", variable.extents},
          {"escapes", variable.escapes}};
}

Json toJson(const BufferRange &range) {
  return {{"object", toJson(range.object)},
          {"read", range.read},
          {"written", range.written},
          {"first", toJson(range.first)},
          {"last", toJson(range.last)}};
}

Json toJson(const ParameterFacts &parameter) {
  return {
      {"position", parameter.position}, {"name", parameter.name},       {"type", parameter.type},
      {"bytes", parameter.bytes},       {"pointer", parameter.pointer}, {"restricted", parameter.restricted},
      {"read", parameter.read},         {"written", parameter.written}, {"escapes", parameter.escapes}};
}

Json toJson(const VariableUse &variable) {
  return {{"name", variable.name}, {"bytes", variable.bytes}, {"constant_space", variable.constantSpace}};
}

Json toJson(const CallFacts &call) {
  return {{"place", toJson(call.place)},
          {"callee", call.callee},
          {"loop", toJson(call.loop)},
          {"has_body", call.hasBody},
          {"known_math", call.knownMath}};
}

Json toJson(const InlineAssembly &assembly) {
  return {{"place", toJson(assembly.place)},
          {"text", assembly.text},
          {"known", assembly.known},
          {"loop", toJson(assembly.loop)}};
}

template <typename T> Json listJson(const std::vector<T> &list) {
  return listJson(list, [](const T &entry) { return toJson(entry); });
}

} // namespace

nlohmann::ordered_json toJson(const KernelFacts &facts) {
  return {{"name", facts.name},
          {"source_name", facts.sourceName},
          {"place", toJson(facts.place)},
          {"max_threads", toJson(facts.maxThreads)},
          {"min_blocks", toJson(facts.minBlocks)},
          {"parameters", listJson(facts.parameters)},
          {"loops", listJson(facts.loops)},
          {"accesses", listJson(facts.accesses)},
          {"reductions", listJson(facts.reductions)},
          {"chains", listJson(facts.chains)},
          {"synchronisations", listJson(facts.synchronisations)},
          {"divergent_branches", listJson(facts.branches)},
          {"single_thread_sections", listJson(facts.sections)},
          {"arithmetic", listJson(facts.arithmetic)},
          {"integer_divisions", listJson(facts.divisions)},
          {"special_functions", listJson(facts.specialFunctions)},
          {"doubles_in_float", listJson(facts.doublesInFloat)},
          {"local_arrays", listJson(facts.localArrays)},
          {"shared_variables", listJson(facts.sharedVariables)},
          {"global_variables", listJson(facts.globalVariables)},
          {"calls", listJson(facts.calls)},
          {"inline_assembly", listJson(facts.assembly)},
          {"ranges", listJson(facts.ranges)}};
}

} // namespace warpwright
