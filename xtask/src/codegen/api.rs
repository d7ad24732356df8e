//! Our own protos as they are written: each item with its comment.

use std::collections::HashMap;

use prost_types::{
    DescriptorProto, EnumDescriptorProto, EnumValueDescriptorProto, FieldDescriptorProto,
    FileDescriptorProto, FileDescriptorSet, MethodDescriptorProto, ServiceDescriptorProto,
};

// Field numbers within descriptor.proto, of which the paths of comments are made.
const FILE_MESSAGE: i32 = 4;
/// Enums of a file.
const FILE_ENUM: i32 = 5;
const FILE_SERVICE: i32 = 6;
const FILE_SYNTAX: i32 = 12;
const MESSAGE_FIELD: i32 = 2;
const MESSAGE_ENUM: i32 = 4;
const ENUM_VALUE: i32 = 2;
const SERVICE_METHOD: i32 = 2;

/// All our own protos.
pub(super) struct Api<'a>(pub(super) Vec<File<'a>>);

/// A file; its comment is the one above its syntax.
pub(super) struct File<'a> {
    pub proto: &'a FileDescriptorProto,
    pub about: String,
    pub services: Vec<Service<'a>>,
    pub messages: Vec<Message<'a>>,
    pub enums: Vec<Enum<'a>>,
}

/// An item with its comment, with lines and paragraphs; empty if there is none.
pub(super) struct Item<'a, T> {
    pub proto: &'a T,
    pub about: String,
}

pub(super) struct Service<'a> {
    pub proto: &'a ServiceDescriptorProto,
    pub about: String,
    pub methods: Vec<Item<'a, MethodDescriptorProto>>,
}

pub(super) struct Message<'a> {
    pub proto: &'a DescriptorProto,
    pub about: String,
    pub fields: Vec<Item<'a, FieldDescriptorProto>>,
    pub enums: Vec<Enum<'a>>,
}

pub(super) struct Enum<'a> {
    pub proto: &'a EnumDescriptorProto,
    pub about: String,
    pub values: Vec<Item<'a, EnumValueDescriptorProto>>,
}

impl<'a> Api<'a> {
    pub(super) fn of(descriptors: &'a FileDescriptorSet) -> Self {
        let ours = descriptors.file.iter().filter(|file| file.package().starts_with("guanxi"));
        Self(ours.map(File::of).collect())
    }

    /// All services with their files.
    pub(super) fn services(&self) -> impl Iterator<Item = (&File<'a>, &Service<'a>)> {
        self.0.iter().flat_map(|file| file.services.iter().map(move |service| (file, service)))
    }

    /// The message of a full name such as `.guanxi.v1.Pair`: what a call takes or answers may be in another file than its
    /// service. `None` of one that is nested or not ours.
    pub(super) fn message(&self, name: &str) -> Option<&Message<'a>> {
        let name = name.trim_start_matches('.');
        self.0.iter().find_map(|file| {
            let local = name.strip_prefix(file.proto.package())?.strip_prefix('.')?;
            file.messages.iter().find(|message| message.proto.name() == local)
        })
    }

    /// A field of a message.
    pub(super) fn field(&self, message: &str, name: &str) -> Option<&Item<'a, FieldDescriptorProto>> {
        self.message(message)?.fields.iter().find(|field| field.proto.name() == name)
    }
}

impl<'a> File<'a> {
    fn of(proto: &'a FileDescriptorProto) -> Self {
        let comments = Comments::of(proto);
        let service = |(Item { proto, about }, path): (Item<'a, ServiceDescriptorProto>, Vec<i32>)| Service {
            proto,
            about,
            methods: comments.leaves(&proto.method, &path, SERVICE_METHOD),
        };
        let message = |(Item { proto, about }, path): (Item<'a, DescriptorProto>, Vec<i32>)| Message {
            proto,
            about,
            fields: comments.leaves(&proto.field, &path, MESSAGE_FIELD),
            enums: comments.enums(&proto.enum_type, &path, MESSAGE_ENUM),
        };
        Self {
            proto,
            about: comments.at(&[FILE_SYNTAX]),
            services: comments.items(&proto.service, &[], FILE_SERVICE).map(service).collect(),
            messages: comments.items(&proto.message_type, &[], FILE_MESSAGE).map(message).collect(),
            enums: comments.enums(&proto.enum_type, &[], FILE_ENUM),
        }
    }
}

/// The comments of a file by the paths of what they belong to.
struct Comments(HashMap<Vec<i32>, String>);

impl Comments {
    fn of(file: &FileDescriptorProto) -> Self {
        let locations = file.source_code_info.iter().flat_map(|info| &info.location);
        let texts = locations.filter_map(|location| {
            let detached = location.leading_detached_comments.first();
            let text = location.leading_comments.as_ref().or(detached)?;
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            Some((location.path.clone(), lines.join("\n").trim().to_owned()))
        });
        Self(texts.collect())
    }

    fn at(&self, path: &[i32]) -> String {
        self.0.get(path).cloned().unwrap_or_default()
    }

    /// The items of a kind below a path, each with its own path.
    fn items<'a, T>(
        &self,
        list: &'a [T],
        path: &[i32],
        kind: i32,
    ) -> impl Iterator<Item = (Item<'a, T>, Vec<i32>)> {
        list.iter().zip(0..).map(move |(proto, number)| {
            let path = [path, &[kind, number]].concat();
            (Item { proto, about: self.at(&path) }, path)
        })
    }

    /// The same of items that have none below them.
    fn leaves<'a, T>(&self, list: &'a [T], path: &[i32], kind: i32) -> Vec<Item<'a, T>> {
        self.items(list, path, kind).map(|(item, _)| item).collect()
    }

    fn enums<'a>(&self, list: &'a [EnumDescriptorProto], path: &[i32], kind: i32) -> Vec<Enum<'a>> {
        let words = self.items(list, path, kind).map(|(Item { proto, about }, path)| Enum {
            proto,
            about,
            values: self.leaves(&proto.value, &path, ENUM_VALUE),
        });
        words.collect()
    }
}

/// A comment on one line.
pub(super) fn line(about: &str) -> String {
    about.replace('\n', " ")
}

/// The last word of a full name.
pub(super) fn short(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
