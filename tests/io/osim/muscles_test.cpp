#include "sinew/io/osim/muscles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "sinew/io/osim/osim_model.hpp"
#include "small_models.hpp"

namespace sinew {
namespace muscles_test {

using test::osim_document;
using ::testing::HasSubstr;

constexpr const char* kPath =
    "<GeometryPath><PathPointSet><objects><PathPoint name=\"a\"><body>ground</body></PathPoint>"
    "<PathPoint name=\"b\"><body>arm</body><location>0.1 0 0</location></PathPoint></objects>"
    "</PathPointSet></GeometryPath>";

std::string one_muscle(const std::string& type, const std::string& properties,
                       const std::string& more = "") {
  return test::pin_model(test::osim_set("ForceSet", "<" + type + " name=\"m\">\n" + properties +
                                                        kPath + "</" + type + ">") +
                         more);
}

OsimPath read(const std::string& type, const std::string& properties,
              const std::string& more = "") {
  return parse_osim(one_muscle(type, properties, more), "m.osim").paths.at(0);
}

const Millard2012Shape& shape(const HillMuscle& m) {
  return std::get<std::shared_ptr<const Millard2012Curves>>(m.curves)->shape();
}

TEST(OsimMuscles, ThelensHasOpenSimsDefaults) {
  const HillDescription d = *read("Thelen2003Muscle", "").hill;
  EXPECT_EQ(d.muscle.max_isometric_force, 1000);
  EXPECT_EQ(d.muscle.optimal_fibre_length, 0.1);
  EXPECT_EQ(d.muscle.tendon_slack_length, 0.2);
  EXPECT_EQ(d.muscle.pennation_at_optimal, 0);
  EXPECT_EQ(d.muscle.max_contraction_velocity, 10);
  EXPECT_EQ(d.muscle.max_pennation, std::acos(0.1));
  EXPECT_EQ(d.muscle.damping, 0);
  EXPECT_EQ(d.activation.kind, ActivationDynamics::Kind::piecewise);
  EXPECT_EQ(d.activation.activation_time, 0.015);
  EXPECT_EQ(d.activation.deactivation_time, 0.050);
  EXPECT_EQ(d.activation.minimum, 0.01);
  EXPECT_EQ(d.initial_activation, 0.05);
  EXPECT_FALSE(d.initial_fibre_length);
  const auto& c = std::get<Thelen2003Curves>(d.muscle.curves);
  EXPECT_EQ(c.tendon_strain, 0.04);
  EXPECT_EQ(c.passive_strain, 0.6);
  EXPECT_EQ(c.active_shape, 0.45);
  EXPECT_EQ(c.passive_shape, 5);
  EXPECT_EQ(c.velocity_shape, 0.25);
  EXPECT_EQ(c.eccentric_force, 1.4);
}

TEST(OsimMuscles, EveryPropertyOfThelensIsRead) {
  const OsimPath path = read(
      "Thelen2003Muscle",
      "<max_isometric_force>700</max_isometric_force><optimal_fiber_length>0.11"
      "</optimal_fiber_length><tendon_slack_length>0.3</tendon_slack_length>"
      "<pennation_angle_at_optimal>0.2</pennation_angle_at_optimal><max_contraction_velocity>12"
      "</max_contraction_velocity><FmaxTendonStrain>0.033</FmaxTendonStrain><FmaxMuscleStrain>0.5"
      "</FmaxMuscleStrain><KshapeActive>0.5</KshapeActive><KshapePassive>4</KshapePassive><Af>0.3"
      "</Af><Flen>1.8</Flen><fv_linear_extrap_threshold>0.9</fv_linear_extrap_threshold>"
      "<activation_time_constant>0.02</activation_time_constant><deactivation_time_constant>0.07"
      "</deactivation_time_constant><minimum_activation>0.02</minimum_activation>"
      "<default_activation>0.3</default_activation><default_fiber_length>0.09"
      "</default_fiber_length><min_control>0.03</min_control><max_control>Inf</max_control>");
  const HillDescription& d = *path.hill;
  EXPECT_EQ(d.muscle.max_isometric_force, 700);
  EXPECT_EQ(d.muscle.optimal_fibre_length, 0.11);
  EXPECT_EQ(d.muscle.tendon_slack_length, 0.3);
  EXPECT_EQ(d.muscle.pennation_at_optimal, 0.2);
  EXPECT_EQ(d.muscle.max_contraction_velocity, 12);
  EXPECT_EQ(d.muscle.min_activation, 0.02);
  EXPECT_EQ(d.activation.minimum, 0.02);
  EXPECT_EQ(d.activation.activation_time, 0.02);
  EXPECT_EQ(d.activation.deactivation_time, 0.07);
  EXPECT_EQ(d.initial_activation, 0.3);
  const auto& c = std::get<Thelen2003Curves>(d.muscle.curves);
  EXPECT_EQ(c.tendon_strain, 0.033);
  EXPECT_EQ(c.passive_strain, 0.5);
  EXPECT_EQ(c.active_shape, 0.5);
  EXPECT_EQ(c.passive_shape, 4);
  EXPECT_EQ(c.velocity_shape, 0.3);
  EXPECT_EQ(c.eccentric_force, 1.8);
  EXPECT_EQ(c.extrapolation, 0.9);
  EXPECT_EQ(path.control.lower, 0.03);
  EXPECT_EQ(path.control.upper, std::numeric_limits<double>::infinity());
  EXPECT_EQ(path.properties.at("default_fiber_length"), 0.09);
}

TEST(OsimMuscles, MillardsHasOpenSimsDefaults) {
  const HillDescription d = *read("Millard2012EquilibriumMuscle", "").hill;
  EXPECT_EQ(d.muscle.damping, 0.1);
  EXPECT_FALSE(d.muscle.rigid_tendon);
  EXPECT_FALSE(d.immediate);
  EXPECT_EQ(d.activation.activation_time, 0.010);
  EXPECT_EQ(d.activation.deactivation_time, 0.040);
  EXPECT_EQ(d.initial_activation, 0.05);
  EXPECT_EQ(shape(d.muscle).tendon_strain, 0.049);
  EXPECT_EQ(shape(d.muscle).strain_at_one_force, 0.7);
}

TEST(OsimMuscles, MillardsCurvesAreReadNumberByNumber) {
  const HillDescription d =
      *read("Millard2012EquilibriumMuscle",
            "<fiber_damping>0.05</fiber_damping><ignore_tendon_compliance>true"
            "</ignore_tendon_compliance><ignore_activation_dynamics>true"
            "</ignore_activation_dynamics><maximum_pennation_angle>1.4</maximum_pennation_angle>"
            "<ActiveForceLengthCurve name=\"f\"><min_norm_active_fiber_length>0.45"
            "</min_norm_active_fiber_length><transition_norm_fiber_length>0.74"
            "</transition_norm_fiber_length><max_norm_active_fiber_length>1.7"
            "</max_norm_active_fiber_length><shallow_ascending_slope>0.85</shallow_ascending_slope>"
            "</ActiveForceLengthCurve><ForceVelocityCurve><concentric_slope_near_vmax>0.3"
            "</concentric_slope_near_vmax><isometric_slope>6</isometric_slope>"
            "<eccentric_slope_near_vmax>0.16</eccentric_slope_near_vmax>"
            "<max_eccentric_velocity_force_multiplier>1.5</max_eccentric_velocity_force_multiplier>"
            "<concentric_curviness>0.5</concentric_curviness><eccentric_curviness>0.8"
            "</eccentric_curviness></ForceVelocityCurve><FiberForceLengthCurve>"
            "<strain_at_zero_force>0.05</strain_at_zero_force><strain_at_one_norm_force>0.8"
            "</strain_at_one_norm_force><stiffness_at_low_force>0.25</stiffness_at_low_force>"
            "<stiffness_at_one_norm_force>3</stiffness_at_one_norm_force><curviness>0.7</curviness>"
            "</FiberForceLengthCurve><TendonForceLengthCurve><strain_at_one_norm_force>0.1"
            "</strain_at_one_norm_force><stiffness_at_one_norm_force>14"
            "</stiffness_at_one_norm_force><norm_force_at_toe_end>0.6</norm_force_at_toe_end>"
            "<curviness></curviness></TendonForceLengthCurve>")
           .hill;
  EXPECT_TRUE(d.muscle.rigid_tendon);
  EXPECT_TRUE(d.immediate);
  EXPECT_EQ(d.muscle.damping, 0.05);
  EXPECT_EQ(d.muscle.max_pennation, 1.4);
  const Millard2012Shape& s = shape(d.muscle);
  EXPECT_EQ(s.min_active_length, 0.45);
  EXPECT_EQ(s.transition_length, 0.74);
  EXPECT_EQ(s.max_active_length, 1.7);
  EXPECT_EQ(s.shallow_slope, 0.85);
  EXPECT_EQ(s.concentric_slope_near_vmax, 0.3);
  EXPECT_EQ(s.isometric_slope, 6);
  EXPECT_EQ(s.eccentric_slope_near_vmax, 0.16);
  EXPECT_EQ(s.eccentric_force, 1.5);
  EXPECT_EQ(s.concentric_curviness, 0.5);
  EXPECT_EQ(s.eccentric_curviness, 0.8);
  EXPECT_EQ(s.strain_at_zero_force, 0.05);
  EXPECT_EQ(s.strain_at_one_force, 0.8);
  EXPECT_EQ(s.stiffness_at_low_force, 0.25);
  EXPECT_EQ(s.stiffness_at_one_force, 3);
  EXPECT_EQ(s.passive_curviness, 0.7);
  EXPECT_EQ(s.tendon_strain, 0.1);
  EXPECT_EQ(s.tendon_stiffness, 14);
  EXPECT_EQ(s.force_at_toe_end, 0.6);
  EXPECT_LT(s.tendon_curviness, 0);  // there without a value: the published fit
}

TEST(OsimMuscles, WithoutDampingForceAndVelocityCanBeInverted) {
  const HillDescription d =
      *read("Millard2012EquilibriumMuscle",
            "<fiber_damping>0</fiber_damping><minimum_activation>0</minimum_activation>")
           .hill;
  EXPECT_TRUE(is_velocity_invertible(d.muscle.curves));
  EXPECT_EQ(d.activation.minimum, 0.01);
}

TEST(OsimMuscles, DeGrootesHasOpenSimsDefaultsAndItsOwnProperties) {
  const HillDescription d = *read("DeGrooteFregly2016Muscle", "").hill;
  EXPECT_EQ(d.activation.kind, ActivationDynamics::Kind::blended);
  EXPECT_EQ(d.activation.activation_time, 0.015);
  EXPECT_EQ(d.activation.deactivation_time, 0.060);
  EXPECT_EQ(d.activation.smoothing, 0.1);
  EXPECT_EQ(d.initial_activation, 0.5);
  EXPECT_EQ(d.muscle.damping, 0);
  const HillDescription other =
      *read("DeGrooteFregly2016Muscle",
            "<active_force_width_scale>1.5</active_force_width_scale>"
            "<passive_fiber_strain_at_one_norm_force>0.7</passive_fiber_strain_at_one_norm_force>"
            "<tendon_strain_at_one_norm_force>0.1</tendon_strain_at_one_norm_force>"
            "<fiber_damping>0.01</fiber_damping>"
            "<ignore_tendon_compliance>true</ignore_tendon_compliance>")
           .hill;
  const auto& c = std::get<DeGrooteFregly2016Curves>(other.muscle.curves);
  EXPECT_EQ(c.active_width, 1.5);
  EXPECT_EQ(c.passive_strain, 0.7);
  EXPECT_EQ(c.tendon_strain, 0.1);
  EXPECT_EQ(other.muscle.damping, 0.01);
  EXPECT_TRUE(other.muscle.rigid_tendon);
}

TEST(OsimMuscles, DefaultsOfTheDocumentSupplyWhatIsLeftOut) {
  const std::string defaults =
      "<defaults><Millard2012EquilibriumMuscle name=\"default\"><fiber_damping>0.2</fiber_damping>"
      "<max_isometric_force>5</max_isometric_force><TendonForceLengthCurve>"
      "<strain_at_one_norm_force>0.06</strain_at_one_norm_force></TendonForceLengthCurve>"
      "</Millard2012EquilibriumMuscle></defaults>";
  const HillDescription d = *read("Millard2012EquilibriumMuscle",
                                  "<max_isometric_force>6</max_isometric_force>", defaults)
                                 .hill;
  EXPECT_EQ(d.muscle.max_isometric_force, 6);
  EXPECT_EQ(d.muscle.damping, 0.2);
  EXPECT_EQ(shape(d.muscle).tendon_strain, 0.06);
}

TEST(OsimMuscles, OthersArePathsAlone) {
  const OsimModel model = parse_osim(
      one_muscle("Schutte1993Muscle_Deprecated", "<max_isometric_force>9</max_isometric_force>"),
      "m.osim");
  EXPECT_FALSE(model.paths.at(0).hill);
  EXPECT_EQ(model.paths.at(0).properties.at("max_isometric_force"), 9);
  ASSERT_EQ(model.warnings.size(), 2u);  // the other: that it has none that pulls
  EXPECT_EQ(model.warnings[0],
            "m.osim: 1 Schutte1993Muscle_Deprecated: their paths are read, their forces are not");
}

TEST(OsimMuscles, WhatHasNoEffectIsSaid) {
  const OsimModel model = parse_osim(
      one_muscle("Thelen2003Muscle", "<ignore_tendon_compliance>true</ignore_tendon_compliance>"),
      "m.osim");
  ASSERT_EQ(model.warnings.size(), 1u);
  EXPECT_THAT(model.warnings[0], HasSubstr("<ignore_tendon_compliance> has no effect"));
}

struct BadMuscle {
  std::string type, property, value, message;
};

std::vector<BadMuscle> bad_muscles() {
  const std::string thelen = "Thelen2003Muscle", millard = "Millard2012EquilibriumMuscle",
                    de_groote = "DeGrooteFregly2016Muscle";
  std::vector<BadMuscle> out;
  for (const std::string& type : {thelen, millard, de_groote})
    for (const char* property :
         {"max_isometric_force", "optimal_fiber_length", "tendon_slack_length",
          "max_contraction_velocity", "activation_time_constant", "deactivation_time_constant"})
      for (const char* value : {"0", "-1"})
        out.push_back({type, property, value, "is not positive"});
  for (const char* property : {"FmaxTendonStrain", "FmaxMuscleStrain", "KshapeActive",
                               "KshapePassive", "Af", "Flen", "fv_linear_extrap_threshold"})
    out.push_back({thelen, property, "0", "is not positive"});
  for (const char* property : {"active_force_width_scale", "passive_fiber_strain_at_one_norm_force",
                               "tendon_strain_at_one_norm_force", "activation_dynamics_smoothing"})
    out.push_back({de_groote, property, "0", "is not positive"});
  out.insert(out.end(), {
                            {thelen, "Flen", "1", "leave no eccentric force"},
                            {thelen, "max_isometric_force", "nan", "a finite number should be"},
                            {thelen, "max_isometric_force", "strong", "a finite number should be"},
                            {thelen, "max_isometric_force", "", "has 0 numbers"},
                            {thelen, "max_isometric_force", "1 2", "has 2 numbers"},
                            {thelen, "pennation_angle_at_optimal", "-0.1", "is negative"},
                            {thelen, "pennation_angle_at_optimal", "30", "it is in radians"},
                            {thelen, "minimum_activation", "2", "is above 1"},
                            {thelen, "tendon_slack_length", "50", "no animal has one"},
                            {thelen, "optimal_fiber_length", "11", "no animal has one"},
                            {thelen, "default_activation", "-0.1", "is negative"},
                            {thelen, "default_activation", "5", "is above 1"},
                            {thelen, "max_control", "-1", "above its <max_control>"},
                            {thelen, "min_control", "few", "a finite number should be"},
                            {millard, "fiber_damping", "-0.1", "is negative"},
                            {millard, "ignore_tendon_compliance", "yes", "write true or false"},
                            {millard, "maximum_pennation_angle", "0", "is not positive"},
                        });
  return out;
}

TEST(OsimMuscles, NoLeastActivationIsASmallOneWhereFibresAreUndamped) {
  const OsimModel model =
      parse_osim(one_muscle("Thelen2003Muscle", "<minimum_activation>0</minimum_activation>"), "m");
  EXPECT_EQ(model.paths[0].hill->muscle.min_activation, 0.01);
  EXPECT_THAT(model.warnings, testing::ElementsAre(HasSubstr("taken as 0.01")));
}

TEST(OsimMuscles, EveryBadParameterIsOneErrorWithItsLine) {
  for (const BadMuscle& bad : bad_muscles()) {
    SCOPED_TRACE(bad.type + " " + bad.property + " = " + bad.value);
    const std::string text =
        one_muscle(bad.type, "<" + bad.property + ">" + bad.value + "</" + bad.property + ">");
    try {
      parse_osim(text, "bad.osim");
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(bad.message));
      EXPECT_EQ(error.file(), "bad.osim");
      EXPECT_GT(error.line(), 3);
      EXPECT_EQ(error.element(), bad.type + " 'm'");
      EXPECT_FALSE(error.remedy().empty());
    }
  }
}

TEST(OsimMuscles, EveryBadCurveIsOneErrorThatNamesMuscleOrCurve) {
  const std::vector<std::pair<std::string, std::string>> curves = {
      {"ActiveForceLengthCurve", "<min_norm_active_fiber_length>2</min_norm_active_fiber_length>"},
      {"ActiveForceLengthCurve", "<min_norm_active_fiber_length>-1</min_norm_active_fiber_length>"},
      {"ActiveForceLengthCurve", "<shallow_ascending_slope>-1</shallow_ascending_slope>"},
      {"ForceVelocityCurve", "<isometric_slope>-5</isometric_slope>"},
      {"ForceVelocityCurve",
       "<max_eccentric_velocity_force_multiplier>0.5</max_eccentric_velocity_force_multiplier>"},
      {"ForceVelocityCurve", "<concentric_curviness>2</concentric_curviness>"},
      {"FiberForceLengthCurve", "<strain_at_one_norm_force>0</strain_at_one_norm_force>"},
      {"FiberForceLengthCurve", "<strain_at_one_norm_force>-0.5</strain_at_one_norm_force>"},
      {"FiberForceLengthCurve", "<stiffness_at_one_norm_force>-1</stiffness_at_one_norm_force>"},
      {"TendonForceLengthCurve", "<strain_at_one_norm_force>0</strain_at_one_norm_force>"},
      {"TendonForceLengthCurve", "<strain_at_one_norm_force>-0.04</strain_at_one_norm_force>"},
      {"TendonForceLengthCurve", "<norm_force_at_toe_end>nan</norm_force_at_toe_end>"}};
  for (const auto& [curve, property] : curves) {
    SCOPED_TRACE(property);
    const std::string text =
        one_muscle("Millard2012EquilibriumMuscle",
                   "<" + curve + " name=\"c\">" + property + "</" + curve + ">");
    try {
      parse_osim(text, "bad.osim");
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(curve));
      EXPECT_EQ(error.file(), "bad.osim");
      EXPECT_GT(error.line(), 3);
    }
  }
}

}  // namespace muscles_test
}  // namespace sinew
