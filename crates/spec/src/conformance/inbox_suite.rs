//! The list of all cases of inboxes, and the macro that makes tests of them.

use super::{CASE_TIME_MAX, Playing};

/// Makes one test per case for an implementation of [`Inbox`](guanxi_ports::Inbox). The argument is a function (or closure)
/// that makes inboxes without content; see [`inboxes`](crate::conformance::inboxes).
#[macro_export]
macro_rules! inbox_conformance_suite {
    ($make:expr) => {
        $crate::inbox_conformance_suite! { @list [tests $make] }
    };
    (@boxed) => {
        $crate::inbox_conformance_suite! { @list [boxed] }
    };
    (@list $what:tt) => {
        $crate::inbox_conformance_suite! { @cases $what;
            inboxes by_default_there_are_no_inboxes;
            inboxes a_filled_inbox_is_read_back;
            inboxes offers_come_in_their_place_and_once;
            inboxes a_registered_inbox_collects_offers;
            inboxes beyond_the_cap_the_floor_rises;
            inboxes a_long_inbox_keeps_the_newest;
            inboxes an_overtaken_fill_is_refused;
            inboxes a_change_of_policy_drops_every_inbox;
            inboxes who_was_away_loses_the_inbox_under_hybrid;
            inboxes active_readers_are_those_of_two_buckets;
            inboxes cold_inboxes_are_swept;
            inboxes reads_say_what_is_covered_and_skipped;
            inboxes too_many_skips_drop_everything;
            inboxes_model_check random_visits_1;
            inboxes_model_check random_visits_2;
            inboxes_model_check random_visits_3;
        }
    };
    (@cases [tests $make:expr]; $($group:ident $case:ident;)+) => {$(
        #[test]
        fn $case() {
            let inbox = ($make)();
            $crate::conformance::run_inbox(stringify!($case), $crate::conformance::inbox_cases::$case(&inbox));
        }
    )+};
    (@cases [boxed]; $($group:ident $case:ident;)+) => {$(
        #[doc = concat!("See [`", stringify!($group), "`](crate::conformance::", stringify!($group), ").")]
        pub fn $case(inbox: &dyn guanxi_ports::Inbox) -> $crate::conformance::Playing<'_> {
            Box::pin($crate::conformance::$group::$case(inbox))
        }
    )+};
}

/// The cases as functions that make their futures here; see [`cases`](super::cases).
pub mod inbox_cases {
    inbox_conformance_suite! { @boxed }
}

/// Runs one case of inboxes on a runtime of its own. The macro calls it.
pub fn run_inbox(name: &str, case: Playing<'_>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        tokio::time::timeout(CASE_TIME_MAX, case).await.unwrap_or_else(|_| panic!("{name} hangs"));
    });
}
