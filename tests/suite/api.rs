//! The public API of the library, as it is written in the sources, must be what `tests/api.txt` says. A change of the API is accepted with
//! `OMNOGRAM_API=overwrite cargo test --release --test suite api::`, and the difference of that file then shows it to the reviewer.
//!
//! Each line is one fact: an item, or a field, variant, method or trait of a type, after the path under which users name the item. Left out
//! are what is `#[doc(hidden)]` or behind the feature `unstable`, what a macro other than `object` writes, values of constants, and automatic
//! traits (`Send`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::common::recorded;
use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::{Attribute, Ident, ImplItem, Item, TraitItem, Type, UseTree, Visibility};

/// A module or an item by the names from the crate's root.
type Names = Vec<String>;

/// What the macro `object` of `serialize` writes for a type, which stands before the first comma: an `impl Serialize`.
fn expanded(item: Item) -> Item {
    let Item::Macro(written) = &item else {
        return item;
    };
    if !written.mac.path.is_ident("object") {
        return item;
    }
    let tokens = written.mac.tokens.clone().into_iter();
    let own: TokenStream = tokens
        .skip_while(|token| !matches!(token, TokenTree::Ident(_)))
        .take_while(|token| token.to_string() != ",")
        .collect();
    syn::parse_str(&format!("impl Serialize for {own} {{}}")).unwrap()
}

#[derive(Default)]
struct Sources {
    modules: BTreeMap<Names, &'static [Item]>,
    /// The items where they are defined.
    items: BTreeMap<Names, &'static Item>,
    /// What a name means that a `use` brings into a module.
    uses: BTreeMap<Names, Names>,
}

/// The facts, by path and then by rank.
type Facts = BTreeSet<(String, u8, String)>;

/// The source text of a piece of syntax on one line, as rustfmt would write it there.
fn text(piece: &impl Spanned) -> String {
    let text = piece.span().source_text().unwrap_or_default();
    let mut text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for (long, short) in [("( ", "("), ("< ", "<"), (", )", ")"), (", >", ">")] {
        text = text.replace(long, short);
    }
    // Whether a function changes its own copy of an argument is its own business.
    text.replace("(mut ", "(").replace(", mut ", ", ")
}

/// These names and one more.
fn joined(at: &[String], name: impl ToString) -> Names {
    [at, &[name.to_string()]].concat()
}

fn is_hidden(attributes: &[Attribute]) -> bool {
    let is_test = |text: &str| text == "#[cfg(test)]";
    let is_unstable = |text: &str| text.starts_with("#[cfg(") && text.contains("unstable");
    let mut texts = attributes.iter().map(text);
    texts.any(|text| text == "#[doc(hidden)]" || is_test(&text) || is_unstable(&text))
}

fn is_public(visibility: &Visibility, attributes: &[Attribute]) -> bool {
    matches!(visibility, Visibility::Public(_)) && !is_hidden(attributes)
}

/// The names that a `use` gives, each with what it stands for.
fn leaves(tree: &UseTree, before: &[String], into: &mut Vec<(String, Names)>) {
    match tree {
        UseTree::Path(path) => leaves(&path.tree, &joined(before, &path.ident), into),
        UseTree::Group(group) => {
            for tree in &group.items {
                leaves(tree, before, into);
            }
        }
        UseTree::Name(name) if name.ident == "self" => {
            into.push((before.last().unwrap().clone(), before.to_vec()));
        }
        UseTree::Name(name) => into.push((name.ident.to_string(), joined(before, &name.ident))),
        UseTree::Rename(name) => into.push((name.rename.to_string(), joined(before, &name.ident))),
        UseTree::Glob(_) => {}
    }
}

/// The name, visibility and attributes of an item that can be public.
fn parts(item: &Item) -> Option<(&Ident, &Visibility, &[Attribute])> {
    Some(match item {
        Item::Struct(x) => (&x.ident, &x.vis, &x.attrs),
        Item::Enum(x) => (&x.ident, &x.vis, &x.attrs),
        Item::Trait(x) => (&x.ident, &x.vis, &x.attrs),
        Item::Type(x) => (&x.ident, &x.vis, &x.attrs),
        Item::Const(x) => (&x.ident, &x.vis, &x.attrs),
        Item::Static(x) => (&x.ident, &x.vis, &x.attrs),
        Item::Fn(x) => (&x.sig.ident, &x.vis, &x.attrs),
        _ => return None,
    })
}

/// What users see of an item, apart from its methods and traits.
fn show(path: &str, item: &Item, facts: &mut Facts) {
    let mut fact = |rank: u8, fact: String| facts.insert((path.to_owned(), rank, fact));
    let whole = text(item);
    let declared = whole[whole.find("pub ").unwrap()..].trim_end_matches(';');
    let body: &[char] = match item {
        Item::Struct(_) => &['{', '('],
        Item::Const(_) | Item::Static(_) => &['='],
        _ => &['{'],
    };
    fact(0, declared.split(body).next().unwrap().trim().to_owned());
    for attribute in parts(item).unwrap().2 {
        fact(1, text(attribute));
    }
    match item {
        Item::Struct(x) => {
            for field in x.fields.iter().filter(|x| is_public(&x.vis, &x.attrs)) {
                fact(2, text(field));
            }
        }
        Item::Enum(x) => {
            for variant in &x.variants {
                fact(2, text(variant));
            }
        }
        Item::Trait(x) => {
            for item in &x.items {
                match item {
                    TraitItem::Fn(x) if x.default.is_some() => {
                        fact(3, text(&x.sig) + " (provided)")
                    }
                    _ => fact(3, text(item)),
                };
            }
        }
        _ => {}
    }
}

impl Sources {
    /// Reads a folder of the library.
    fn read(&mut self, folder: &Path, module: &[String]) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let inner = match path.file_stem().unwrap().to_str().unwrap() {
                "main" | "cli" => continue,
                "lib" | "mod" => module.to_vec(),
                name => joined(module, name),
            };
            if path.is_dir() {
                self.read(&path, &inner);
                continue;
            }
            if path.extension().is_none_or(|ending| ending != "rs") {
                continue;
            }
            let source = std::fs::read_to_string(&path).unwrap();
            let code = source.lines().filter(|x| !x.trim().starts_with("//"));
            let file = syn::parse_file(&code.collect::<Vec<_>>().join("\n")).unwrap();
            let items: Vec<Item> = file.items.into_iter().map(expanded).collect();
            let (items, mut used) = (&*items.leak(), Vec::new());
            for item in items {
                if let Some((name, ..)) = parts(item) {
                    self.items.insert(joined(&inner, name), item);
                } else if let Item::Use(item) = item {
                    leaves(&item.tree, &[], &mut used);
                }
            }
            // The name of another crate stands for nothing of this one.
            used.retain(|(_, names)| names.len() > 1);
            let used = used.into_iter();
            let used = used.map(|(name, names)| (joined(&inner, name), names));
            self.uses.extend(used);
            self.modules.insert(inner, items);
        }
    }

    /// Where the item is defined that these names mean in a module; `None` for other crates.
    fn resolve(&self, at: &[String], names: &[String]) -> Option<Names> {
        let (first, rest) = names.split_first()?;
        let here = joined(at, first);
        match first.as_str() {
            "crate" => self.resolve(&[], rest),
            "self" => self.resolve(at, rest),
            "super" => self.resolve(at.split_last()?.1, rest),
            _ if rest.is_empty() && self.items.contains_key(&here) => Some(here),
            _ if !rest.is_empty() && self.modules.contains_key(&here) => self.resolve(&here, rest),
            _ => self.resolve(at, &[&self.uses.get(&here)?[..], rest].concat()),
        }
    }

    /// Everything public in a module, each with the place where it is defined.
    fn public(&self, at: &[String], public: &mut Vec<(Names, Names)>) {
        let mut used = Vec::new();
        for item in self.modules[at] {
            match item {
                Item::Mod(x) if is_public(&x.vis, &x.attrs) => {
                    self.public(&joined(at, &x.ident), public);
                }
                Item::Use(x) if is_public(&x.vis, &x.attrs) => leaves(&x.tree, &[], &mut used),
                _ => {
                    let seen = parts(item).filter(|(_, vis, attrs)| is_public(vis, attrs));
                    public.extend(seen.map(|(name, ..)| (joined(at, name), joined(at, name))));
                }
            }
        }
        for (name, names) in used {
            let defined = self.resolve(at, &names);
            let defined = defined.unwrap_or_else(|| panic!("what is {names:?} in {at:?}?"));
            public.push((joined(at, name), defined));
        }
    }

    /// The methods and traits of all types that are public.
    fn impls(&self, paths: &BTreeMap<Names, String>, facts: &mut Facts) {
        let all = self.modules.iter();
        for (at, item) in all.flat_map(|(at, items)| items.iter().map(move |item| (at, item))) {
            let Item::Impl(block) = item else { continue };
            if is_hidden(&block.attrs) {
                continue;
            }
            let mut own = &*block.self_ty;
            while let Type::Reference(reference) = own {
                own = &reference.elem;
            }
            let Type::Path(own) = own else { continue };
            let names = own.path.segments.iter().map(|part| part.ident.to_string());
            let defined = self.resolve(at, &names.collect::<Names>());
            let Some(path) = defined.and_then(|defined| paths.get(&defined)) else {
                continue;
            };
            let mut fact = |rank: u8, fact: String| facts.insert((path.clone(), rank, fact));
            let mut types = String::new();
            for item in &block.items {
                match item {
                    ImplItem::Type(x) => types = format!("{types} {}", text(x)),
                    ImplItem::Fn(x) if is_public(&x.vis, &x.attrs) => {
                        fact(3, format!("pub {}", text(&x.sig)));
                    }
                    ImplItem::Const(x) if is_public(&x.vis, &x.attrs) => {
                        fact(3, format!("pub const {}: {}", x.ident, text(&x.ty)));
                    }
                    _ => {}
                }
            }
            if let Some((of, _)) = &block.trait_ {
                if of.is_ident("Fields") {
                    continue;
                }
                let (generics, own) = (text(&block.generics), text(&block.self_ty));
                fact(4, format!("impl{generics} {} for {own}{types}", text(of)));
            }
        }
    }
}

#[test]
fn the_public_api_is_the_one_agreed_on() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut sources, mut public) = (Sources::default(), Vec::new());
    sources.read(&root.join("src"), &[]);
    sources.public(&[], &mut public);
    let (mut facts, mut paths) = (Facts::new(), BTreeMap::new());
    for (name, defined) in public {
        let name = name.join("::");
        if let Some(first) = paths.get(&defined) {
            facts.insert((name, 0, format!("pub use {first}")));
            continue;
        }
        show(&name, sources.items[&defined], &mut facts);
        paths.insert(defined, name);
    }
    sources.impls(&paths, &mut facts);
    let lines = facts
        .iter()
        .map(|(path, _, fact)| format!("{path}: {fact}\n"));
    let is: String = lines.collect();
    recorded::compare(&is, "tests/api.txt", "OMNOGRAM_API", "api");
}
