/* losing_team: CPU engines as teams of several members, and teams that lose some. Header-only. */
#pragma once

#include <stdatomic.h>

#include "core/team/team.h"
#include "tests/unit/cpu_points.h"

static inline eb_setup team_of(const cpu_variant *variant, unsigned members)
{
    eb_setup setup = setup_of(variant, 3);
    setup.device.members = members;
    return setup;
}

static _Atomic int joins_left; /* until a join fails; below 0: none does */
static eb_implementation losing;
static const eb_implementation *sound;

/* A team whose functions a test may replace by those of `losing`. */
static inline eb_setup losing_team(unsigned members)
{
    eb_setup setup = team_of(&cpu_variants[0], members);
    sound = setup.run;
    losing = *sound;
    setup.run = &losing;
    return setup;
}

/* For a function of `losing`: whether it fails now, as its device is lost. */
static inline eb_code lose_now(eb_status *status)
{
    return joins_left-- == 0 ? eb_fail(status, EB_NO_DEVICE, "the device fell off the bus") : EB_OK;
}
