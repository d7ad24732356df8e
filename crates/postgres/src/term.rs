//! Values of statements, each with its type: a statement without a name tells the server the types of its values.

use tokio_postgres::types::{ToSql, Type};

/// A value of a statement.
pub struct Term {
    value: Box<dyn ToSql + Sync + Send>,
    of: Type,
}

impl Term {
    /// The value.
    pub(crate) fn value(&self) -> &(dyn ToSql + Sync) {
        &*self.value
    }

    /// The value with its type.
    pub(crate) fn typed(&self) -> (&(dyn ToSql + Sync), Type) {
        (self.value(), self.of.clone())
    }
}

/// A value of a statement.
pub fn term<T: PgValue>(value: T) -> Term {
    Term { value: Box::new(value), of: T::OF }
}

/// Types of Rust that a statement takes: values, and lists of them.
pub trait PgValue: ToSql + Sync + Send + 'static {
    /// The type that the server has for it.
    const OF: Type;
}

/// Types of Rust that a list has.
pub trait PgElement: ToSql + Sync + Send + 'static {
    /// The type of a list of them.
    const MANY: Type;
}

macro_rules! elements {
    ($($rust:ty: $one:ident, $many:ident;)*) => {$(
        impl PgElement for $rust {
            const MANY: Type = Type::$many;
        }
        impl PgValue for $rust {
            const OF: Type = Type::$one;
        }
    )*};
}

elements! {
    bool: BOOL, BOOL_ARRAY;
    i16: INT2, INT2_ARRAY;
    i32: INT4, INT4_ARRAY;
    i64: INT8, INT8_ARRAY;
    f64: FLOAT8, FLOAT8_ARRAY;
    String: TEXT, TEXT_ARRAY;
    &'static str: TEXT, TEXT_ARRAY;
    Vec<u8>: BYTEA, BYTEA_ARRAY;
}

impl<T: PgElement> PgElement for Option<T> {
    const MANY: Type = T::MANY;
}

impl<T: PgElement> PgValue for Vec<T> {
    const OF: Type = T::MANY;
}

impl<T: PgValue> PgValue for Option<T> {
    const OF: Type = T::OF;
}
