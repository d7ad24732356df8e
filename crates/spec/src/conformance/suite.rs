//! The list of all cases, and the macro that makes tests of them.

use super::World;
use std::pin::Pin;

/// A case at work.
pub type Playing<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// A case of the suite.
pub type Case = for<'a> fn(&'a World) -> Playing<'a>;

/// Makes one test per case of the suite for a backend. The argument is an async function (or closure) from
/// [`Settings`](crate::conformance::Settings) to [`Backend`](crate::conformance::Backend).
///
/// Every case is listed here once, under the settings that it runs with; a test notices a case that is not.
#[macro_export]
macro_rules! conformance_suite {
    ($make:expr) => {
        $crate::conformance_suite! { @list [tests $make] }
    };
    (@boxed) => {
        $crate::conformance_suite! { @list [boxed] }
    };
    (@list $what:tt) => {
        $crate::conformance_suite! { @cases $what;
            usual pairs every_transition_of_the_pair_table;
            usual pairs relations_say_the_state_from_both_sides;
            usual pairs batches_of_relations_keep_their_order;
            usual pairs nobody_relates_to_themselves;
            usual pairs a_repeated_operation_changes_nothing;
            usual pairs removing_a_follower_ends_the_follow_of_the_other;
            usual pairs times_are_those_of_what_happened;
            usual pairs times_rise_whatever_the_clock_does;
            usual limits the_follow_limit_refuses_the_next_follow;
            usual limits removed_and_blocked_follows_make_room;
            usual limits a_users_own_limit_replaces_the_default;
            usual limits setting_a_limit_is_logged_once;
            usual limits a_limit_beyond_the_highest_is_refused;
            usual limits limits_hold_for_the_net_effect_of_a_batch;
            usual limits a_batch_stops_at_the_limit;
            usual limits blocks_and_mutes_have_limits;
            usual limits a_block_is_named_before_a_limit;
            usual limits racing_follows_never_pass_the_limit;
            usual lists lists_are_newest_first;
            usual lists pages_of_every_size_give_the_same_list;
            usual lists lists_and_relations_agree_on_times;
            usual lists a_cursor_outlives_its_row;
            usual lists a_cursor_is_a_place_not_a_row;
            usual lists following_again_moves_to_the_top;
            usual lists friends_are_ordered_by_when_they_became_friends;
            usual lists ties_are_ordered_by_uid;
            usual lists lists_end_at_their_owner;
            usual lists bounded_lists_accept_an_offset;
            usual lists followers_refuse_an_offset;
            usual lists page_sizes_are_honoured;
            usual lists pages_are_full_after_churn;
            usual walks a_walk_through_followers_under_writes;
            usual walks a_walk_through_following_under_writes;
            usual walks a_walk_through_friends_under_writes;
            usual views a_view_stands_still;
            usual views all_answers_of_a_view_agree;
            usual views nobody_sees_half_a_batch;
            usual counters counters_are_lengths_of_lists;
            usual counters batches_of_counters_keep_their_order;
            usual counters followers_are_counted_beyond_a_page;
            usual sets known_followers_and_mutual_following_are_exact;
            usual sets known_followers_of_the_famous_and_of_the_obscure;
            usual sets cursors_into_known_followers_outlive_their_row;
            usual sets counted_answers_accept_an_offset;
            usual sets a_block_ends_what_is_known;
            usual followed follows_are_counted_as_lists_say;
            usual followed a_count_that_may_look_at_no_more_ends_between_two_users;
            usual dismissals a_dismissal_stands_until_it_is_taken_back;
            usual dismissals the_oldest_dismissal_makes_room;
            usual dismissals nothing_is_dismissed_by_or_of_who_is_deleted;
            usual affinities scores_add_up;
            usual affinities the_lowest_score_makes_room;
            usual affinities another_half_life_takes_scores_along;
            usual affinities scores_go_with_either_of_the_two;
            usual batches a_batch_is_applied_in_order;
            usual batches follows_of_one_subject_each_have_an_outcome;
            usual batches a_batch_beyond_the_largest_is_refused;
            usual batches_of_one a_batch_ends_as_calls_in_its_order;
            usual batches_of_one many_answers_stand_at_all_who_asked;
            usual batches an_empty_batch_answers_the_head;
            usual batches commands_of_several_domains_are_one_commit;
            usual batches a_write_that_is_refused_changes_nothing;
            usual blocks a_block_cuts_both_ways;
            usual blocks a_block_cuts_a_one_sided_follow;
            usual blocks while_either_blocks_follows_are_refused_both_ways;
            usual blocks unblocking_restores_nothing;
            usual blocks a_block_concerns_one_pair_only;
            usual blocks a_mute_changes_no_edge;
            usual blocks a_block_is_logged_with_what_it_cut;
            usual idempotency a_repeated_request_is_answered_from_the_first;
            usual idempotency a_repeat_has_every_outcome_of_the_first;
            usual idempotency the_same_request_id_of_another_user_is_another_request;
            usual idempotency a_request_id_with_other_parameters_is_refused;
            usual idempotency a_refusal_is_remembered_too;
            usual idempotency a_request_id_is_remembered_for_a_day;
            usual idempotency request_ids_are_compared_byte_by_byte;
            usual idempotency racing_repeats_happen_once;
            usual tokens a_read_at_a_writes_position_sees_it;
            usual tokens concurrent_clients_read_their_own_writes;
            usual tokens every_answer_has_a_position;
            usual tokens a_position_of_another_history_is_refused;
            usual tokens a_position_ahead_is_refused_after_a_while;
            usual tokens a_read_waits_for_a_position;
            usual tokens the_beginning_is_a_position;
            usual traces what_users_left_is_found_from_both_sides;
            usual traces likes_of_a_user_have_their_times;
            usual traces names_of_imported_posts_are_found_by_author;
            usual traces a_purge_takes_every_name_of_a_post;
            usual traces forgotten_follows_are_new_again;
            usual traces a_follow_that_stands_is_not_forgotten;
            usual retention deleted_posts_are_found_by_time;
            usual retention a_purge_is_under_way_until_it_is_noted;
            usual retention what_was_deleted_later_is_not_purged;
            usual retention removed_follows_are_forgotten_until_a_time;
            usual shards what_parts_two_users_stands_at_its_answer;
            usual shards a_log_tells_what_others_did_to_its_users;
            usual shards an_overtaken_answer_is_not_confirmed;
            usual shards a_part_of_a_view_begins_at_its_first_question;
            usual posts_write a_purged_post_is_gone_for_good;
            usual standings who_is_gone_does_nothing_new;
            usual standings nothing_joins_who_is_gone;
            usual standings posts_go_and_come_with_their_author;
            usual standings a_head_tells_of_its_author;
            usual standings nobody_begins_to_follow_who_is_locked;
            usual standings hidden_edges_are_not_told;
            usual rejections a_rejection_ends_with_the_follow_of_the_rejected;
            usual rejections a_rejection_of_a_follower_stands;
            usual resent a_request_that_is_sent_again_is_no_new_one;
            usual resent a_request_to_follow_that_is_sent_again_is_no_new_one;
            usual resent a_request_after_one_that_was_granted_is_new;
            usual resent what_was_taken_back_is_forgotten;
            usual requests requests_are_listed_at_both_ends;
            usual requests a_request_holds_a_place;
            usual requests only_so_many_requests_wait;
            usual requests who_was_rejected_waits;
            usual requests a_rejection_is_known_on_both_sides;
            usual requests what_is_noted_of_a_user_is_found;
            usual requests what_has_begun_anew_is_left_alone;
            usual requests requests_and_terms_are_checked;
            usual requests racing_accepts_share_no_place;
            usual requests racing_ends_of_a_request_agree;
            usual requests a_block_beside_an_approval_leaves_nothing;
            usual requests an_unlock_beside_a_request_loses_nobody;
            usual requests an_end_of_time_beside_an_accept;
            usual requests a_mute_gets_new_terms;
            usual takedowns a_post_that_is_taken_down_is_as_deleted;
            usual takedowns a_reinstated_post_is_as_it_was;
            usual takedowns a_reinstated_repost_stands_once;
            usual takedowns reasons_of_takedowns_are_bounded;
            usual takedowns who_is_taken_down_is_as_deactivated;
            usual takedowns posts_go_and_come_with_a_takedown;
            usual takedowns a_takedown_ends_access;
            usual takedowns who_is_taken_down_can_be_deleted;
            usual deletions who_is_deleted_is_listed_until_it_is_erased;
            usual deletions nothing_begins_with_who_is_deleted;
            usual deletions nothing_is_written_by_who_is_deleted;
            usual deletions nothing_is_kept_of_who_is_deleted;
            usual deletions names_are_free_once_their_user_is_erased;
            usual deletions a_list_brings_no_erased_user_back;
            usual deletions a_name_moves_within_a_commit;
            usual deletions deletions_are_logged;
            usual users an_account_is_found_by_its_name;
            usual users names_and_uids_are_given_once;
            usual users profiles_need_no_account;
            usual users passwords_of_accounts;
            usual users what_happens_to_users_is_logged;
            usual users racing_registrations_have_one_winner;
            usual users a_registration_is_part_of_its_write;
            usual users random_users;
            usual imported_users an_imported_user_is_kept_whole;
            usual imported_users what_refuses_an_imported_user_keeps_nothing_of_it;
            usual sign_outs what_was_issued_before_has_ended;
            usual sign_outs who_comes_back_stays_signed_out;
            usual sign_outs a_sign_out_never_goes_back;
            usual sign_outs racing_sign_outs_all_hold;
            usual contacts a_contact_is_bound_in_steps;
            usual contacts a_claimed_contact_is_refused_to_others;
            usual contacts late_steps_do_no_harm;
            usual contacts what_a_crash_leaves_of_a_contact_heals;
            usual contacts claims_are_listed_in_pieces;
            usual contacts racing_binds_have_one_winner;
            usual contacts what_binds_died_of_can_be_bound_again;
            minting uids who_was_not_minted_is_not_named;
            minting uids imports_leave_out_who_was_not_minted;
            minting uids imported_posts_leave_out_who_was_not_minted;
            minting uids new_users_are_of_the_range;
            usual external_ids an_external_id_has_one_uid_for_ever;
            usual external_ids a_batch_of_external_ids_is_one_write;
            usual external_ids a_look_of_before_makes_no_second_uid;
            usual external_ids racing_resolvers_agree;
            usual external_ids used_uids_get_no_external_id;
            usual external_ids a_batch_gives_no_used_uid;
            usual external_ids new_external_ids_are_logged;
            usual external_ids random_external_ids;
            usual groups a_group_is_as_it_was_made;
            usual groups members_are_an_exact_set;
            usual groups who_may_not_be_a_member_refuses_the_whole;
            usual groups a_block_takes_both_out_of_each_others_groups;
            usual groups nothing_of_groups_begins_with_who_is_deleted;
            usual groups groups_are_bounded;
            usual groups a_group_is_made_once_per_request;
            usual groups memberships_are_found_from_the_member;
            usual groups a_view_of_groups_stands_still;
            usual groups racing_owners_and_blockers_agree;
            usual groups_model_check random_groups_1;
            usual groups_model_check random_groups_2;
            usual log only_changes_are_logged;
            usual log the_log_resumes_at_any_position;
            usual log a_read_of_the_log_is_bounded;
            usual log waiting_ends_with_the_next_change;
            usual log readers_follow_concurrent_writers;
            usual log a_reader_far_behind_catches_up;
            usual log events_may_be_applied_twice_and_in_any_order;
            usual log the_head_is_the_last_event;
            short_log log a_trimmed_log_says_so;
            usual imports imported_edges_keep_their_time;
            usual imports imported_restrictions_keep_their_time;
            usual imports imported_mutes_keep_their_terms;
            usual imports restrictions_are_exported_from_any_place_on;
            usual imports imported_friends_date_from_the_later_follow;
            usual imports imports_are_logged_as_follows;
            usual imports imported_times_lie_not_ahead;
            usual imports an_edge_that_stands_is_already_there;
            usual imports a_removed_edge_stays_removed;
            usual imports refused_edges_say_why;
            usual imports a_job_moves_with_its_edges;
            usual imports a_batch_out_of_place_is_refused;
            usual imports racing_importers_of_a_job_do_not_repeat;
            usual imports imports_are_bounded;
            usual imports imported_edges_can_be_removed_and_followed_again;
            usual operators the_export_is_ordered_and_resumable;
            usual operators verification_counts_what_it_compares;
            usual operators a_mend_changes_nothing_that_is_right;
            usual operators a_dump_says_where_it_stands;
            usual credentials credentials_are_found_listed_and_revoked;
            usual credentials credentials_names_are_checked;
            usual credentials a_write_of_credentials_is_done_in_order;
            usual credentials a_repeated_request_adds_no_credential;
            usual credentials a_token_with_several_names_has_the_first;
            usual credentials random_credentials;
            usual audit an_entry_begins_and_ends_once;
            usual audit entries_are_newest_first;
            usual audit entries_are_bounded;
            usual audit random_audit;
            usual session_writes a_login_is_one_commit;
            usual session_writes what_ends_access_ends_sessions;
            usual session_writes what_is_refused_ends_no_session;
            usual session_writes a_new_password_begins_its_session;
            usual session_writes nobody_who_is_away_refreshes;
            usual session_writes the_end_of_one_session_is_told;
            usual session_writes sessions_are_not_remembered;
            usual session_writes random_sessions;
            usual sessions sessions_are_found_in_the_shard_of_their_user;
            usual sessions a_repeated_session_changes_nothing;
            usual sessions sessions_are_listed_by_user_newest_first;
            usual sessions a_revoked_session_is_gone;
            usual sessions all_sessions_of_a_user_end_at_once;
            usual sessions expired_sessions_are_gone_and_swept_in_slices;
            usual sessions a_sweep_is_bounded;
            usual sessions sessions_of_a_user_are_bounded;
            usual sessions the_last_use_of_a_session_only_rises;
            usual sessions racing_changes_bring_no_session_back;
            usual sessions sessions_of_many_users_do_not_meet;
            usual refreshes a_refresh_changes_both_secrets;
            usual refreshes a_refresh_may_be_repeated_for_a_while;
            usual refreshes an_old_refresh_secret_ends_the_session;
            usual refreshes what_cannot_be_refreshed_is_left_alone;
            usual refreshes a_refresh_prolongs_a_session_up_to_its_end;
            usual refreshes one_more_login_replaces_the_one_used_least_recently;
            usual refreshes racing_refreshes_come_to_the_same_secrets;
            usual refreshes a_refresh_that_races_with_a_revocation_brings_nothing_back;
            usual refreshes refreshes_of_many_users_do_not_meet;
            usual posts_write a_post_is_as_it_was_written;
            usual posts_write a_repost_stands_for_its_original;
            usual posts_write drafts_are_checked;
            usual posts_write an_original_must_be_seen;
            usual posts_write a_repost_must_be_seen_like_its_original;
            usual posts_write post_ids_rise_whatever_the_clock_does;
            usual posts_write edits_keep_what_was;
            usual posts_write edits_are_checked;
            usual posts_write revisions_are_bounded;
            usual posts_write a_deleted_post_comes_back_as_it_was;
            usual posts_reposts a_plain_repost_stands_once;
            usual posts_reposts a_repost_is_restored_unless_another_stands;
            usual posts_reposts a_repost_is_undone_in_any_case;
            usual posts_reposts a_quote_is_a_post_of_its_own;
            usual posts_reposts edits_make_no_repost_a_quote;
            usual posts_reposts imported_reposts_stand_once;
            usual posts_reposts reposts_are_walked_newest_first;
            usual posts_reposts a_post_has_the_time_of_the_clock;
            usual posts_likes likes_are_counted_once;
            usual posts_likes only_what_is_seen_is_liked;
            usual posts_likes likers_are_walked_newest_first;
            usual posts_imports imported_posts_keep_their_time;
            usual posts_imports posts_of_a_full_millisecond_take_ids_of_the_next;
            usual posts_imports a_source_key_is_imported_once;
            usual posts_imports imported_posts_refer_to_imported_ones;
            usual posts_imports refused_posts_say_why;
            usual posts_imports a_job_moves_with_its_posts;
            usual posts_exports keys_are_bounded_wherever_they_stand;
            usual posts_exports posts_are_exported_in_the_order_of_their_ids;
            usual posts_exports a_wanted_id_is_kept_if_it_is_free;
            usual posts_exports exported_posts_are_not_judged_again;
            usual posts_exports a_post_may_come_deleted;
            usual posts_exports the_key_of_a_written_post_is_its_id;
            usual posts_exports imported_likes_keep_their_time;
            usual posts_exports a_job_moves_with_its_likes;
            usual posts_groups a_post_is_for_a_group;
            usual posts_groups a_post_is_for_a_group_of_its_author_alone;
            usual posts_groups posts_change_no_numbers;
            usual posts_groups exported_posts_may_be_for_a_group_that_is_gone;
            usual posts_groups members_alone_see_what_is_for_their_group;
            usual posts_groups groups_are_asked_for_a_member;
            usual posts_groups a_change_of_an_audience_is_told;
            usual posts_groups a_block_changes_audiences;
            usual posts_groups a_group_is_within_everybody_alone;
            usual posts_groups posts_for_groups_are_exported;
            usual posts_views a_view_of_posts_stands_still;
            usual posts_views a_call_answers_bodies_up_to_a_limit;
            usual posts_views heads_rise_with_their_outboxes;
            usual posts_views created_posts_begin_at_the_first;
            usual posts_views audiences_change_with_a_version;
            usual posts_views posts_are_read_at_their_position;
            usual posts_views post_requests_happen_once;
            usual posts_views racing_writers_get_posts_of_their_own;
            usual posts_views the_seen_mark_only_rises;
            usual posts_views the_policy_is_kept;
            tight model_check random_operations_1;
            tight model_check random_operations_2;
            tight model_check random_operations_3;
            tight model_check random_operations_4;
            usual racing removals_race_with_follows;
            tight racing racing_clients_1;
            tight racing racing_clients_2;
            tight racing racing_clients_3;
            tight posts_model_check random_posts_1;
            tight posts_model_check random_posts_2;
            tight posts_model_check random_posts_3;
            tight posts_model_check random_posts_4;
        }
    };
    (@cases [tests $make:expr]; $($settings:ident $group:ident $case:ident;)+) => {$(
        #[test]
        fn $case() {
            $crate::conformance::run(
                stringify!($case),
                $crate::conformance::Settings::$settings(),
                $make,
                $crate::conformance::cases::$case,
            );
        }
    )+};
    (@cases [boxed]; $($settings:ident $group:ident $case:ident;)+) => {$(
        #[doc = concat!("See [`", stringify!($group), "`](crate::conformance::", stringify!($group), ").")]
        pub fn $case(world: &$crate::conformance::World) -> $crate::conformance::Playing<'_> {
            Box::pin($crate::conformance::$group::$case(world))
        }
    )+};
}

/// The cases as functions of one type. Their futures are made here, so that they are compiled once: what polls a bare
/// one would compile it again in each backend's tests.
pub mod cases {
    conformance_suite! { @boxed }
}
