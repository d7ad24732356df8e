//! Each bug is found out by some history, and none without a bug is.

use super::{Bug, Length, Tally, people, posts};

/// Histories that are tried at most.
const SEEDS: u64 = 40;
/// Short ones: most bugs show early.
const LENGTH: Length = Length { steps: 8, searches: 6 };

/// What the first history says that finds a bug out.
async fn found_out(bug: Bug) -> Option<String> {
    for seed in 0..SEEDS {
        if let Err(error) = posts::play(seed, LENGTH, bug).await {
            return Some(error);
        }
    }
    None
}

/// The same of users.
async fn found_out_by_people(bug: Bug) -> Option<String> {
    for seed in 0..SEEDS {
        if let Err(error) = people::play(seed, LENGTH, bug).await {
            return Some(error);
        }
    }
    None
}

#[tokio::test]
async fn no_history_finds_fault_with_the_product() {
    let (one, other, people) = tokio::join!(
        posts::play(1, LENGTH, Bug::None),
        posts::play(2, LENGTH, Bug::None),
        people::play(3, LENGTH, Bug::None)
    );
    let mut all = Tally::default();
    [one, other, people].into_iter().for_each(|tally| all.add(tally.unwrap()));
    assert!(all.searches > 80 && all.hits > 40 && all.late > 10, "{all:?}");
}

#[tokio::test]
async fn rules_and_texts_of_the_index_are_found_out() {
    let error = found_out(Bug::OldFacts).await.expect("it shows what is not so");
    assert!(error.contains("is shown") || error.contains("is missing"), "{error}");
}

#[tokio::test]
async fn an_older_fact_over_a_newer_document_is_found_out() {
    let error = found_out(Bug::OldOverNew).await.expect("it leaves out what the newer text says");
    assert!(error.contains("is missing") || error.contains("rows are"), "{error}");
}

#[tokio::test]
async fn a_position_that_is_kept_before_its_documents_is_found_out() {
    let error = found_out(Bug::PositionFirst).await.expect("it leaves out what it says it has seen");
    assert!(error.contains("is missing") || error.contains("rows are"), "{error}");
}

#[tokio::test]
async fn marks_that_are_lost_are_found_out() {
    let error = found_out(Bug::MarksForgotten).await.expect("counters stay as they were");
    assert!(error.contains("rows are"), "{error}");
}

#[tokio::test]
async fn a_cursor_that_counts_hits_is_found_out() {
    let error = found_out(Bug::PlacesCounted).await.expect("it shows one twice, or leaves one out");
    assert!(error.contains("more than once") || error.contains("is missing"), "{error}");
}

#[tokio::test]
async fn an_index_of_users_that_is_kept_wrongly_is_found_out() {
    for bug in [Bug::OldOverNew, Bug::PositionFirst] {
        let error = found_out_by_people(bug).await.expect("it leaves out who is called so");
        assert!(error.contains("is missing") || error.contains("in place of"), "{bug:?}: {error}");
    }
}
