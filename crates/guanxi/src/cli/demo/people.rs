//! The names of the demo's users: the graph has numbers alone, and people read names.

use guanxi_model::Uid;

const GIVEN: [&str; 47] = [
    "Ada", "Ali", "Amara", "Anders", "Aoife", "Bao", "Bela", "Carmen", "Chidi", "Dara", "Dmitri", "Elif",
    "Emeka", "Esra", "Farid", "Freya", "Gita", "Goran", "Hana", "Hugo", "Ines", "Ivo", "Jamal", "Jun",
    "Kaya", "Kofi", "Lena", "Lin", "Luca", "Mei", "Milo", "Mina", "Nadia", "Nils", "Noor", "Olga", "Omar",
    "Priya", "Rafa", "Rosa", "Sami", "Sofia", "Taro", "Uma", "Vera", "Wen", "Yara",
];

const FAMILY: [&str; 41] = [
    "Amber", "Ash", "Bay", "Birch", "Brook", "Cedar", "Clay", "Cloud", "Coral", "Dale", "Dove", "Dune",
    "Elm", "Fern", "Field", "Finch", "Flint", "Ford", "Frost", "Glen", "Grove", "Hazel", "Heron", "Hill",
    "Isle", "Ivy", "Jade", "Lake", "Lark", "Marsh", "Moss", "Oak", "Olive", "Pine", "Reed", "Ridge", "River",
    "Sage", "Stone", "Vale", "Wren",
];

/// Cells of the longest name.
pub(super) const NAME_COLUMNS: usize = 13;

/// A made-up name, always the same of one user. Of the users of the graph some sixteen share one.
pub(super) fn name(uid: Uid) -> String {
    let at = uid.get();
    let of = |names: &[&'static str]| names[usize::try_from(at % names.len() as u64).unwrap_or_default()];
    format!("{} {}", of(&GIVEN), of(&FAMILY))
}

/// As [`name`], of a number that may be no user's.
pub(super) fn name_of(uid: u64) -> String {
    Uid::new(uid).map_or_else(|_| uid.to_string(), name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn names_are_short_and_shared_by_few() {
        let mut shared: HashMap<String, usize> = HashMap::new();
        for uid in 1..=super::super::USERS {
            *shared.entry(name(Uid::new(uid).unwrap())).or_default() += 1;
        }
        assert_eq!(shared.len(), GIVEN.len() * FAMILY.len());
        assert!(shared.values().all(|users| *users <= 16));
        assert!(shared.keys().all(|name| name.len() <= NAME_COLUMNS));
    }
}
