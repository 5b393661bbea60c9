//! One HTML file that needs nothing else: text, tables and figures, with a little script for values under the
//! pointer and for switching between variants of a figure.
//!
//! Everything is readable without the script and on paper: of each figure the first variant is shown.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use crate::plot::{escape, rasterise};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Pixels per unit of figures that are written as PNG.
const PNG_SCALE: f32 = 2.5;

/// A figure with its variants, such as linear and logarithmic.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Name of its files.
    pub id: String,
    /// What to see in it.
    pub caption: String,
    /// Name and SVG of each variant.
    pub variants: Vec<(String, String)>,
}

impl Figure {
    /// A figure without variants.
    pub fn new(id: &str, svg: String, caption: &str) -> Self {
        Self { id: id.into(), caption: caption.into(), variants: vec![(String::new(), svg)] }
    }
}

/// A table with a header.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// Names of the columns.
    pub head: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns and no rows yet.
    pub fn new(head: &[&str]) -> Self {
        Self { head: head.iter().map(|name| name.to_string()).collect(), rows: vec![] }
    }
}

/// A piece of a section.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// Sentences, one below the other.
    List(Vec<String>),
    /// Something the reader must see.
    Warning(String),
    /// A heading inside the section.
    Heading(String),
    /// A table.
    Table(Table),
    /// A figure; neighbours stand side by side where there is room.
    Figure(Figure),
    /// A figure with text and tables beside it where there is room.
    Beside(Figure, Vec<Block>),
    /// Numbers with their names, large.
    Numbers(Vec<(String, String)>),
    /// Verbatim text behind a line that opens it.
    Folded {
        /// The line.
        title: String,
        /// The text.
        text: String,
    },
}

/// A part of the page with a heading.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// What it holds.
    pub blocks: Vec<Block>,
}

/// A whole page.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Its title.
    pub title: String,
    /// A line below it.
    pub subtitle: String,
    /// Its sections.
    pub sections: Vec<Section>,
}

/// Format of figures as files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigureFormat {
    /// Vectors.
    Svg,
    /// Pixels.
    Png,
}

impl Page {
    /// The page as HTML.
    pub fn html(&self) -> String {
        let title = escape(&self.title);
        let mut out = format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n{STYLE}</style></head>\n\
             <body>\n<header><h1>{title}</h1><p>{}</p></header>\n",
            escape(&self.subtitle)
        );
        self.push_contents(&mut out);
        for (i, section) in self.sections.iter().enumerate() {
            let _ = write!(out, "<section id=\"s{i}\">");
            if !section.title.is_empty() {
                let _ = writeln!(out, "<h2>{}</h2>", escape(&section.title));
            }
            push_blocks(&mut out, &section.blocks);
            out += "</section>\n";
        }
        let _ = write!(
            out,
            "<div id=\"tip\" role=\"status\"></div>\n<script>\n{SCRIPT}</script></body></html>\n"
        );
        out
    }

    fn push_contents(&self, out: &mut String) {
        let titles = self.sections.iter().enumerate().filter(|(_, s)| !s.title.is_empty());
        *out += "<nav>";
        for (i, section) in titles {
            let _ = write!(out, "<a href=\"#s{i}\">{}</a> ", escape(&section.title));
        }
        *out += "</nav>\n";
    }

    /// All figures.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.sections.iter().flat_map(|section| &section.blocks).filter_map(|block| match block {
            Block::Figure(figure) | Block::Beside(figure, _) => Some(figure),
            _ => None,
        })
    }

    /// Writes the page.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        fs::write(path, self.html())
    }

    /// Writes every variant of every figure as a file of its own; returns the files.
    pub fn write_figures(
        &self,
        directory: &Path,
        format: FigureFormat,
    ) -> std::io::Result<Vec<PathBuf>> {
        fs::create_dir_all(directory)?;
        let mut files = Vec::new();
        for figure in self.figures() {
            for (variant, svg) in &figure.variants {
                let ending = if variant.is_empty() { String::new() } else { format!("_{variant}") };
                let name = file_name(&format!("{}{ending}", figure.id));
                let (name, bytes) = match format {
                    FigureFormat::Svg => (name + ".svg", svg.clone().into_bytes()),
                    FigureFormat::Png => {
                        (name + ".png", rasterise(svg, PNG_SCALE).map_err(std::io::Error::other)?)
                    }
                };
                let path = directory.join(name);
                fs::write(&path, bytes)?;
                files.push(path);
            }
        }
        Ok(files)
    }
}

/// Letters, digits and underscores only.
fn file_name(text: &str) -> String {
    text.chars().map(|c| if c.is_alphanumeric() || "_-".contains(c) { c } else { '_' }).collect()
}

fn push_blocks(out: &mut String, blocks: &[Block]) {
    let mut in_figures = false;
    for block in blocks {
        let is_figure = matches!(block, Block::Figure(_));
        if is_figure != in_figures {
            *out += if is_figure { "<div class=\"figures\">\n" } else { "</div>\n" };
            in_figures = is_figure;
        }
        push_block(out, block);
    }
    if in_figures {
        *out += "</div>\n";
    }
}

fn push_block(out: &mut String, block: &Block) {
    let _ = match block {
        Block::Text(text) => writeln!(out, "<p>{}</p>", escape(text)),
        Block::Heading(text) => writeln!(out, "<h3>{}</h3>", escape(text)),
        Block::Warning(text) => writeln!(out, "<p class=\"warning\">{}</p>", escape(text)),
        Block::List(lines) => {
            let items: String =
                lines.iter().map(|line| format!("<li>{}</li>", escape(line))).collect();
            writeln!(out, "<ul>{items}</ul>")
        }
        Block::Numbers(numbers) => {
            let card = |(name, value): &(String, String)| {
                format!("<div><b>{}</b><span>{}</span></div>", escape(value), escape(name))
            };
            writeln!(
                out,
                "<div class=\"numbers\">{}</div>",
                numbers.iter().map(card).collect::<String>()
            )
        }
        Block::Table(table) => writeln!(out, "{}", html_table(table)),
        Block::Figure(figure) => writeln!(out, "{}", html_figure(figure)),
        Block::Beside(figure, blocks) => {
            let _ = writeln!(out, "<div class=\"beside\">{}<div>", html_figure(figure));
            push_blocks(out, blocks);
            writeln!(out, "</div></div>")
        }
        Block::Folded { title, text } => writeln!(
            out,
            "<details><summary>{}</summary><pre>{}</pre></details>",
            escape(title),
            escape(text)
        ),
    };
}

fn html_table(table: &Table) -> String {
    let cells = |tag: &str, cells: &[String]| -> String {
        let cell = |text: &String| {
            let numeric = text.starts_with(|c: char| c.is_ascii_digit() || "−<≥≤–".contains(c));
            let class = if tag == "td" && numeric { " class=\"n\"" } else { "" };
            let verdict = match text.as_str() {
                "FAIL" => " class=\"fail\"",
                "pass" => " class=\"pass\"",
                _ => class,
            };
            format!("<{tag}{verdict}>{}</{tag}>", escape(text))
        };
        format!("<tr>{}</tr>", cells.iter().map(cell).collect::<String>())
    };
    let rows: String = table.rows.iter().map(|row| cells("td", row)).collect();
    format!(
        "<div class=\"table\"><table><thead>{}</thead><tbody>{rows}</tbody></table></div>",
        cells("th", &table.head)
    )
}

fn html_figure(figure: &Figure) -> String {
    let mut out = format!("<figure id=\"{}\">", file_name(&figure.id));
    if figure.variants.len() > 1 {
        out += "<div class=\"switch\">";
        for (i, (name, _)) in figure.variants.iter().enumerate() {
            let _ = write!(
                out,
                "<button type=\"button\" data-i=\"{i}\" aria-pressed=\"{}\">{}</button>",
                i == 0,
                escape(name)
            );
        }
        out += "</div>";
    }
    for (i, (_, svg)) in figure.variants.iter().enumerate() {
        let hidden = if i == 0 { "" } else { " hidden" };
        let _ = write!(out, "<div class=\"variant\"{hidden}>{svg}</div>");
    }
    let _ = write!(out, "<figcaption>{}</figcaption></figure>", escape(&figure.caption));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_name_no_other_place() {
        let html = Page { title: "a <b>".into(), subtitle: "&".into(), sections: vec![] }.html();
        assert!(html.contains("<title>a &lt;b&gt;</title>"));
        for forbidden in ["http://", "https://", "src=", "@import", "url("] {
            assert!(!html.contains(forbidden), "{forbidden}");
        }
    }

    #[test]
    fn figures_become_files_in_both_formats() {
        let svg = crate::plot::Chart::default().svg();
        let mut figure = Figure::new("a/b c", svg.clone(), "");
        figure.variants = vec![("linear".into(), svg.clone()), ("log".into(), svg)];
        let sections = vec![Section { title: "s".into(), blocks: vec![Block::Figure(figure)] }];
        let page = Page { title: "t".into(), subtitle: String::new(), sections };
        let folder = tempfile::tempdir().unwrap();
        for (format, ending) in [(FigureFormat::Svg, "svg"), (FigureFormat::Png, "png")] {
            let files = page.write_figures(folder.path(), format).unwrap();
            let names: Vec<String> =
                files.iter().map(|f| f.file_name().unwrap().to_string_lossy().into()).collect();
            assert_eq!(names, [format!("a_b_c_linear.{ending}"), format!("a_b_c_log.{ending}")]);
        }
    }
}
