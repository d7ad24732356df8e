//! Relations while a group is planned.

mod working;

pub(super) use working::Working;
