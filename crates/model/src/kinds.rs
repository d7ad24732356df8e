//! Closed lists of kinds, written as tables.

/// Declares an enum of kinds as a table, a row for each kind, with `ALL`: every kind, in the order of the rows.
///
/// In a table of codes, which is `enum Kind: code`, a row also has the byte that stands for the kind on disk, and in one of
/// names, `enum Kind: name`, the name that programs match on. The enum then has `code` and `of_code`, or `name` and `of_name`.
/// Codes and names that were ever stored or sent never change.
///
/// ```
/// guanxi_model::kinds! {
///     /// A meal.
///     #[derive(Clone, Copy, Debug, PartialEq, Eq)]
///     pub enum Meal: code {
///         /// At noon.
///         Lunch = 1,
///         /// In the evening.
///         Supper = 4,
///     }
/// }
/// assert_eq!(Meal::of_code(Meal::Supper.code()), Some(Meal::Supper));
/// assert_eq!((Meal::ALL.len(), Meal::of_code(2)), (2, None));
/// ```
#[macro_export]
macro_rules! kinds {
    ($(#[$meta:meta])* $vis:vis enum $kind:ident { $($(#[$doc:meta])* $variant:ident,)+ }) => {
        $(#[$meta])*
        $vis enum $kind { $($(#[$doc])* $variant,)+ }

        impl $kind {
            /// Every kind, in the order of their list.
            $vis const ALL: [Self; [$(stringify!($variant)),+].len()] = [$(Self::$variant),+];
        }
    };
    ($(#[$meta:meta])* $vis:vis enum $kind:ident: code { $($(#[$doc:meta])* $variant:ident = $code:literal,)+ }) => {
        $crate::kinds! { $(#[$meta])* $vis enum $kind { $($(#[$doc])* $variant,)+ } }

        impl $kind {
            /// Returns the byte that stands for it on disk; never changes.
            $vis const fn code(self) -> u8 {
                match self { $(Self::$variant => $code,)+ }
            }

            /// Returns the kind of a byte on disk, if this program knows it.
            $vis fn of_code(code: u8) -> Option<Self> {
                Self::ALL.into_iter().find(|kind| kind.code() == code)
            }
        }
    };
    ($(#[$meta:meta])* $vis:vis enum $kind:ident: name { $($(#[$doc:meta])* $variant:ident = $name:literal,)+ }) => {
        $crate::kinds! { $(#[$meta])* $vis enum $kind { $($(#[$doc])* $variant,)+ } }

        impl $kind {
            /// Returns its name for programs; never changes.
            $vis const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// Returns the kind of a name, if this program knows it.
            $vis fn of_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|kind| kind.name() == name)
            }
        }
    };
}
