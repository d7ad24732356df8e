//! The questions of a view, declared once.

/// Writes the trait of one kind of reader from its questions, a documented signature each, in sections by the metrics that count
/// them. It also writes:
///
/// - the view that counts and times each question, under the name of its function or under the label behind `as`;
/// - the layer: the same functions, which ask the view below unless a layer writes them anew, and every type that has the layer is
///   the view.
///
/// `'a` is the lifetime of the view and of what is asked with. A question is asynchronous, and fails as a whole.
macro_rules! questions {
    (
        $(#[$doc:meta])*
        pub trait $view:ident: $super:path, layer $layer:ident, meters $field:ident: $meters:ident {
            $($family:ident {
                $($(#[$about:meta])* fn $name:ident $(as $label:literal)? ($($arg:ident: $ty:ty),* $(,)?) -> $answer:ty;)*
            })*
        }
    ) => {
        $(#[$doc])*
        #[expect(clippy::elidable_lifetime_names, reason = "some questions are asked with what they borrow")]
        pub trait $view: $super {
            $($($(#[$about])* fn $name<'a>(&'a self, $($arg: $ty),*) -> crate::BoxFuture<'a, guanxi_model::Result<$answer>>;)*)*
        }

        crate::meter::meters! {
            pub(crate) struct $meters { $($family { $($name $(as $label)?),* })* }
        }

        #[expect(clippy::elidable_lifetime_names, reason = "some questions are asked with what they borrow")]
        impl $view for crate::view::MeteredView {
            $($(fn $name<'a>(&'a self, $($arg: $ty),*) -> crate::BoxFuture<'a, guanxi_model::Result<$answer>> {
                Box::pin(self.meters.$field.$name.time(self.inner.$name($($arg),*)))
            })*)*
        }

        /// The layer of these questions.
        #[expect(clippy::elidable_lifetime_names, reason = "some questions are asked with what they borrow")]
        pub trait $layer: crate::view::Layer {
            $($($(#[$about])* fn $name<'a>(&'a self, $($arg: $ty),*) -> crate::BoxFuture<'a, guanxi_model::Result<$answer>> {
                self.below().$name($($arg),*)
            })*)*
        }

        #[expect(clippy::elidable_lifetime_names, reason = "some questions are asked with what they borrow")]
        impl<L: $layer + $super> $view for L {
            $($(fn $name<'a>(&'a self, $($arg: $ty),*) -> crate::BoxFuture<'a, guanxi_model::Result<$answer>> {
                $layer::$name(self, $($arg),*)
            })*)*
        }
    };
}

pub(crate) use questions;
