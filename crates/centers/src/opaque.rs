//! `Debug` of structs that hold ports, locks or secrets.

/// Writes the `Debug` of a struct, which shows its name, and of its fields only those that are named.
macro_rules! opaque_debug {
    ($name:ident $({ $($field:ident),* })?) => {
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let mut shown = f.debug_struct(stringify!($name));
                $($(shown.field(stringify!($field), &self.$field);)*)?
                shown.finish_non_exhaustive()
            }
        }
    };
}

pub(crate) use opaque_debug;
