//! Generated items that nothing calls. They are dropped before the code is written, since every build would compile them;
//! the generators have no options for them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use syn::{ImplItem, Item, Path, Type, UseTree};

/// Items that are dropped, and why nothing calls them.
type Unused = (Kind, &'static str);

/// Which items of a file; those inside of modules stay.
#[derive(Debug)]
enum Kind {
    /// Implementations of a trait, for types whose names end so.
    Trait(&'static str, &'static str),
    /// The functions of types whose names end so.
    Methods(&'static str),
    /// What types have of their own if it is a constant of this name alone.
    Constant(&'static str),
    /// Items of a kind, such as `const`, whose names end so.
    Named(&'static str, &'static str),
}

const UNUSED: &[Unused] = &[
    (Kind::Trait("Encodable", "View"), "services answer with messages, which are encodable by themselves"),
    (Kind::Trait("ViewEncode", "View"), "what is sent is encoded from messages"),
    (Kind::Trait("Serialize", "View"), "JSON is written from messages"),
    (Kind::Methods("OwnedView"), "requests are read by their views, and answers become messages at once"),
    (Kind::Named("use", "OwnedView"), "nothing names owned views"),
    (Kind::Named("type", "View"), "short names for types that the code writes in full"),
    (Kind::Trait("ServiceExt", ""), "services are served by their dispatchers, not by a router's table"),
    (Kind::Named("trait", "ServiceExt"), "what puts a service into a router's table"),
    (Kind::Trait("ServiceRegister", ""), "what puts several services into one router's table"),
    (Kind::Named("struct", "RegisterMarker"), "what tells the services of such a table apart"),
    (Kind::Named("const", "_JSON_ANY"), "no registry of types for `google.protobuf.Any` is made"),
    (Kind::Trait("MessageName", ""), "nothing asks a message for its name: the descriptors have them"),
    (Kind::Constant("TYPE_URL"), "the details of errors name their types themselves"),
    (Kind::Trait("ProtoElemJson", ""), "lists of messages and enums are JSON by serde's own trait"),
];

/// Drops the items of [`UNUSED`] from generated files, given by their names.
///
/// # Errors
/// When a file is no Rust, or a row matches nothing and must go.
pub(super) fn without(files: BTreeMap<PathBuf, String>) -> Result<BTreeMap<PathBuf, String>, String> {
    let mut dropped = vec![0_usize; UNUSED.len()];
    let kept = files.into_iter().map(|(name, text)| match kept(text, &mut dropped) {
        Ok(text) => Ok((name, text)),
        Err(error) => Err(format!("{}: {error}", name.display())),
    });
    let kept = kept.collect::<Result<_, _>>()?;
    match UNUSED.iter().zip(dropped).find(|(_, dropped)| *dropped == 0) {
        None => Ok(kept),
        Some(((item, why), _)) => {
            Err(format!("{item:?} ({why}) matches nothing: take its row out of xtask/src/codegen/unused.rs"))
        }
    }
}

/// What is kept of one file; what is not is counted by row.
fn kept(text: String, dropped: &mut [usize]) -> syn::Result<String> {
    let mut file = syn::parse_file(&text)?;
    let before = file.items.len();
    file.items.retain(|item| {
        let row = UNUSED.iter().position(|(unused, _)| unused.is(item));
        if let Some(row) = row {
            dropped[row] += 1;
        }
        row.is_none()
    });
    if file.items.len() == before {
        return Ok(text);
    }
    // The parser leaves comments out; those at the top are the only ones.
    let head: String =
        text.split_inclusive('\n').take_while(|line| line.starts_with("// ") || *line == "\n").collect();
    Ok(head + &prettyplease::unparse(&file))
}

impl Kind {
    fn is(&self, item: &Item) -> bool {
        match (self, item) {
            (Self::Trait(end, of), Item::Impl(found)) => {
                let is_it = found.trait_.as_ref().is_some_and(|(_, path, _)| last(path).ends_with(end));
                is_it && type_name(&found.self_ty).ends_with(of)
            }
            (Self::Methods(of), Item::Impl(found)) => {
                found.trait_.is_none() && type_name(&found.self_ty).ends_with(of)
            }
            (Self::Constant(name), Item::Impl(found)) => {
                let is_it = |item: &ImplItem| matches!(item, ImplItem::Const(found) if found.ident == name);
                found.trait_.is_none() && found.items.len() == 1 && found.items.iter().all(is_it)
            }
            (Self::Named(kind, end), item) => {
                named(item).is_some_and(|(of, name)| of == *kind && name.ends_with(end))
            }
            _ => false,
        }
    }
}

/// The kind of an item that has a name, and the name.
fn named(item: &Item) -> Option<(&'static str, String)> {
    let (kind, name) = match item {
        Item::Const(found) => ("const", found.ident.to_string()),
        Item::Struct(found) => ("struct", found.ident.to_string()),
        Item::Trait(found) => ("trait", found.ident.to_string()),
        Item::Type(found) => ("type", found.ident.to_string()),
        Item::Use(found) => ("use", used(&found.tree)?),
        _ => return None,
    };
    Some((kind, name))
}

/// What a `use` of one name ends in.
fn used(tree: &UseTree) -> Option<String> {
    match tree {
        UseTree::Path(path) => used(&path.tree),
        UseTree::Name(name) => Some(name.ident.to_string()),
        _ => None,
    }
}

fn type_name(of: &Type) -> String {
    if let Type::Path(of) = of { last(&of.path) } else { String::new() }
}

fn last(path: &Path) -> String {
    path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default()
}
