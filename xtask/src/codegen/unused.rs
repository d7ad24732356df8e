//! Generated items that nothing calls. They are dropped before the code is written, since every build would compile them;
//! the generators have no options for them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use syn::{Item, Path, Type};

/// A kind of item that is dropped.
struct Unused {
    item: Kind,
    /// Why nothing calls it.
    why: &'static str,
}

/// Which items of a file; those inside of modules stay.
#[derive(Debug)]
enum Kind {
    /// Implementations of a trait, for types whose names end so.
    Trait(&'static str, &'static str),
}

const UNUSED: &[Unused] = &[
    Unused {
        item: Kind::Trait("Encodable", "View"),
        why: "services answer with messages, which are encodable by themselves",
    },
    Unused { item: Kind::Trait("ViewEncode", "View"), why: "what is sent is encoded from messages" },
    Unused { item: Kind::Trait("Serialize", "View"), why: "JSON is written from messages" },
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
        Some((Unused { item, why }, _)) => {
            Err(format!("{item:?} ({why}) matches nothing: take its row out of xtask/src/codegen/unused.rs"))
        }
    }
}

/// What is kept of one file; what is not is counted by row.
fn kept(text: String, dropped: &mut [usize]) -> syn::Result<String> {
    let mut file = syn::parse_file(&text)?;
    let before = file.items.len();
    file.items.retain(|item| {
        let row = UNUSED.iter().position(|unused| unused.item.is(item));
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
                let named = found.trait_.as_ref().is_some_and(|(_, path, _)| last(path).ends_with(end));
                named && type_name(&found.self_ty).ends_with(of)
            }
            _ => false,
        }
    }
}

fn type_name(of: &Type) -> String {
    if let Type::Path(of) = of { last(&of.path) } else { String::new() }
}

fn last(path: &Path) -> String {
    path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default()
}
