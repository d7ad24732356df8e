//! Cases of checks and dumps that look into the maps of the in-memory backend.

use guanxi_spec::memory::upkeep_cases;

#[test]
fn every_kind_of_damage_is_named() {
    upkeep_cases::every_kind_of_damage_is_named();
}

#[test]
fn a_dump_has_every_record_once() {
    upkeep_cases::a_dump_has_every_record_once();
}
