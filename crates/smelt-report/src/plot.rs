//! Figures as SVG: a grid of panels that share their horizontal axis, with lines or stacked bars over labels.
//!
//! Plain text without scripts or fonts of its own, so a figure looks the same in a page, alone and on paper. Every point
//! and bar says its value when it is pointed at.

mod axis;

use std::fmt::Write;

use axis::Axis;
use smelt_oracle::foreign_text::html;

/// A grid of panels.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// What it shows.
    pub title: String,
    /// What the vertical axes are in.
    pub unit: String,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows, from top to bottom.
    pub rows: Vec<Row>,
    /// What the colours mean.
    pub legend: Vec<(String, Style)>,
    /// How the vertical axes are divided.
    pub scale: Scale,
    /// Whether the panels of a row can be compared.
    pub axes: Axes,
}

/// Which panels have the same vertical axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axes {
    /// Those of a row.
    PerRow,
    /// None.
    PerPanel,
}

/// Panels side by side, one for each column.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What they are about.
    pub name: String,
    /// The panels.
    pub panels: Vec<Panel>,
}

/// One plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// What stands below the horizontal axis.
    pub labels: Vec<String>,
    /// How values are drawn.
    pub mark: Mark,
    /// What is drawn over the labels.
    pub series: Vec<Series>,
}

/// How the values of a panel are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// As points that lines join.
    Lines,
    /// As bars, those of one label on top of each other.
    Bars,
}

/// Values over the labels of a panel.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name, for whoever points at it.
    pub name: String,
    /// How it looks.
    pub style: Style,
    /// A value for each label; none where there is none.
    pub values: Vec<Option<f64>>,
}

/// A colour and, for lines, the shape of points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Style {
    /// As CSS writes it.
    pub colour: String,
    /// The shape.
    pub shape: Shape,
}

impl Style {
    /// A colour with a shape.
    pub fn new(colour: &str, shape: Shape) -> Self {
        Style { colour: colour.to_owned(), shape }
    }
}

/// The shape of points, so that colours need not be told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Shape {
    Circle,
    Square,
    Triangle,
}

/// How an axis is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Evenly, from zero.
    Linear,
    /// By powers of ten, with zero below one.
    Logarithmic,
}

const PANEL_HEIGHT: f64 = 110.0;
const ROW_GAP: f64 = 22.0;
const COLUMN_GAP: f64 = 54.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 58.0;
const LABEL_STEP: f64 = 24.0;
const MIN_PANEL_WIDTH: f64 = 230.0;
/// An average letter of a label.
const LETTER_WIDTH: f64 = 6.2;

impl Figure {
    /// The figure as an SVG document.
    pub fn svg(&self) -> String {
        let widths: Vec<f64> = (0..self.columns.len()).map(|column| self.column_width(column)).collect();
        let bottom = self.label_height() + 14.0;
        let height = TOP + self.rows.len() as f64 * (PANEL_HEIGHT + ROW_GAP) - ROW_GAP + bottom;
        let gaps = COLUMN_GAP * widths.len().saturating_sub(1) as f64;
        let width = LEFT + widths.iter().sum::<f64>() + gaps + RIGHT;
        let width = width.max(self.legend_width());
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" font-family=\"system-ui, sans-serif\" font-size=\"11\" role=\"img\" \
             aria-label=\"{}\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
            html(&self.title)
        );
        self.draw_head(&mut svg, &widths);
        for (number, row) in self.rows.iter().enumerate() {
            let top = TOP + number as f64 * (PANEL_HEIGHT + ROW_GAP);
            let is_last = number + 1 == self.rows.len();
            self.draw_row(&mut svg, row, top, &widths, is_last);
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn column_width(&self, column: usize) -> f64 {
        let labels =
            self.rows.iter().filter_map(|row| row.panels.get(column)).map(|panel| panel.labels.len());
        (labels.max().unwrap_or(0) as f64 * LABEL_STEP).max(MIN_PANEL_WIDTH)
    }

    fn label_height(&self) -> f64 {
        let labels = self.rows.iter().flat_map(|row| &row.panels).flat_map(|panel| &panel.labels);
        let longest = labels.map(|label| label.chars().count()).max().unwrap_or(0);
        // They stand at 60 degrees.
        (longest as f64 * LETTER_WIDTH * 0.87 + 12.0).max(24.0)
    }

    fn legend_width(&self) -> f64 {
        let texts = self.legend.iter().map(|(name, _)| name.chars().count() as f64 * LETTER_WIDTH + 34.0);
        LEFT + texts.sum::<f64>()
    }

    fn draw_head(&self, svg: &mut String, widths: &[f64]) {
        let title = html(&self.title);
        write(
            svg,
            format_args!("<text x=\"8\" y=\"17\" font-size=\"14\" font-weight=\"600\">{title}</text>\n"),
        );
        let mut x = LEFT;
        for (name, style) in &self.legend {
            draw_point(svg, x, 30.0, style, "");
            write(svg, format_args!("<text x=\"{:.1}\" y=\"34\">{}</text>\n", x + 9.0, html(name)));
            x += name.chars().count() as f64 * LETTER_WIDTH + 34.0;
        }
        let mut left = LEFT;
        for (name, width) in self.columns.iter().zip(widths) {
            let middle = left + width / 2.0;
            let text = html(name);
            write(
                svg,
                format_args!(
                    "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-weight=\"600\">{text}</text>\n",
                    TOP - 7.0
                ),
            );
            left += width + COLUMN_GAP;
        }
    }

    fn draw_row(&self, svg: &mut String, row: &Row, top: f64, widths: &[f64], is_last: bool) {
        let largest_of_row = row.panels.iter().map(Panel::largest).fold(0.0, f64::max);
        let middle = top + PANEL_HEIGHT / 2.0;
        write(
            svg,
            format_args!(
                "<text transform=\"translate(16 {middle:.1}) rotate(-90)\" text-anchor=\"middle\" \
                 font-weight=\"600\">{}</text>\n<text transform=\"translate(31 {middle:.1}) rotate(-90)\" \
                 text-anchor=\"middle\" fill=\"#666\" font-size=\"10\">{}</text>\n",
                html(&row.name),
                html(&self.unit)
            ),
        );
        let mut left = LEFT;
        for (panel, width) in row.panels.iter().zip(widths) {
            let place = Place { left, top, width: *width };
            let axis = match self.axes {
                Axes::PerRow => Axis::new(self.scale, largest_of_row),
                Axes::PerPanel => Axis::new(self.scale, panel.largest()),
            };
            place.draw_frame(svg, &axis);
            match panel.mark {
                Mark::Lines => place.draw_lines(svg, panel, &axis),
                Mark::Bars => place.draw_bars(svg, panel, &axis),
            }
            if is_last {
                place.draw_labels(svg, panel);
            }
            left += width + COLUMN_GAP;
        }
    }
}

impl Panel {
    /// The largest value that is drawn.
    fn largest(&self) -> f64 {
        let value =
            |series: &Series, label: usize| series.values.get(label).copied().flatten().unwrap_or(0.0);
        let at = |label: usize| match self.mark {
            Mark::Lines => self.series.iter().map(|series| value(series, label)).fold(0.0, f64::max),
            Mark::Bars => self.series.iter().map(|series| value(series, label)).sum(),
        };
        (0..self.labels.len()).map(at).fold(0.0, f64::max)
    }
}

/// Where a panel is drawn.
struct Place {
    left: f64,
    top: f64,
    width: f64,
}

impl Place {
    fn x(&self, label: usize, labels: usize) -> f64 {
        self.left + self.width * (label as f64 + 0.5) / labels as f64
    }

    fn y(&self, axis: &Axis, value: f64) -> f64 {
        self.top + PANEL_HEIGHT * (1.0 - axis.share(value))
    }

    fn draw_frame(&self, svg: &mut String, axis: &Axis) {
        let (left, right) = (self.left, self.left + self.width);
        for (value, text) in axis.ticks() {
            let y = self.y(axis, value);
            write(
                svg,
                format_args!(
                    "<path d=\"M{left:.1} {y:.1}H{right:.1}\" stroke=\"#e4e4e4\"/><text x=\"{:.1}\" y=\"{:.1}\" \
                     text-anchor=\"end\" fill=\"#444\" font-size=\"10\">{text}</text>\n",
                    left - 5.0,
                    y + 3.5
                ),
            );
        }
        write(
            svg,
            format_args!(
                "<path d=\"M{left:.1} {:.1}V{:.1}H{right:.1}\" fill=\"none\" stroke=\"#888\"/>\n",
                self.top,
                self.top + PANEL_HEIGHT
            ),
        );
    }

    fn draw_lines(&self, svg: &mut String, panel: &Panel, axis: &Axis) {
        for series in &panel.series {
            let mut path = String::new();
            let mut is_joined = false;
            for (label, value) in series.values.iter().enumerate() {
                let Some(value) = value else {
                    is_joined = false;
                    continue;
                };
                let (x, y) = (self.x(label, panel.labels.len()), self.y(axis, *value));
                write(&mut path, format_args!("{}{x:.1} {y:.1}", if is_joined { 'L' } else { 'M' }));
                is_joined = true;
            }
            let colour = html(&series.style.colour);
            write(
                svg,
                format_args!("<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.4\"/>\n"),
            );
            for (label, value) in series.values.iter().enumerate() {
                let Some(value) = value else { continue };
                let text = pointed_at(&panel.labels[label], &series.name, *value);
                let (x, y) = (self.x(label, panel.labels.len()), self.y(axis, *value));
                draw_point(svg, x, y, &series.style, &text);
            }
        }
    }

    fn draw_bars(&self, svg: &mut String, panel: &Panel, axis: &Axis) {
        let width = (self.width / panel.labels.len().max(1) as f64 * 0.72).min(34.0);
        for label in 0..panel.labels.len() {
            let mut below = 0.0;
            for series in &panel.series {
                let value = series.values.get(label).copied().flatten().unwrap_or(0.0);
                if value <= 0.0 {
                    continue;
                }
                let (bottom, top) = (self.y(axis, below), self.y(axis, below + value));
                let text = pointed_at(&panel.labels[label], &series.name, value);
                write(
                    svg,
                    format_args!(
                        "<rect x=\"{:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"{}\">\
                         <title>{}</title></rect>\n",
                        self.x(label, panel.labels.len()) - width / 2.0,
                        bottom - top,
                        html(&series.style.colour),
                        html(&text)
                    ),
                );
                below += value;
            }
        }
    }

    fn draw_labels(&self, svg: &mut String, panel: &Panel) {
        let y = self.top + PANEL_HEIGHT + 12.0;
        for (number, label) in panel.labels.iter().enumerate() {
            let x = self.x(number, panel.labels.len()) + 3.0;
            write(
                svg,
                format_args!(
                    "<text transform=\"translate({x:.1} {y:.1}) rotate(-60)\" text-anchor=\"end\" fill=\"#333\">\
                     {}</text>\n",
                    html(label)
                ),
            );
        }
    }
}

fn draw_point(svg: &mut String, x: f64, y: f64, style: &Style, text: &str) {
    let colour = html(&style.colour);
    let title = if text.is_empty() { String::new() } else { format!("<title>{}</title>", html(text)) };
    match style.shape {
        Shape::Circle => {
            write(
                svg,
                format_args!(
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\">{title}</circle>\n"
                ),
            );
        }
        Shape::Square => write(
            svg,
            format_args!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"5.4\" height=\"5.4\" fill=\"{colour}\">{title}</rect>\n",
                x - 2.7,
                y - 2.7
            ),
        ),
        Shape::Triangle => write(
            svg,
            format_args!(
                "<path d=\"M{:.1} {:.1}h7l-3.5-6z\" fill=\"{colour}\">{title}</path>\n",
                x - 3.5,
                y + 2.5
            ),
        ),
    }
}

fn pointed_at(label: &str, series: &str, value: f64) -> String {
    format!("{label}, {series}: {}", number(value))
}

/// A number without digits that say nothing.
pub(crate) fn number(value: f64) -> String {
    let text = match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    };
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

fn write(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("a string takes everything");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(mark: Mark, scale: Scale, values: &[Option<f64>]) -> String {
        let style = Style::new("#123456", Shape::Circle);
        let series = Series { name: "bugs".to_owned(), style: style.clone(), values: values.to_vec() };
        let labels = (1..=values.len()).map(|number| format!("4.8.{number}")).collect();
        Figure {
            title: "Bugs & more".to_owned(),
            unit: "triggers".to_owned(),
            columns: vec!["Z3".to_owned()],
            rows: vec![Row {
                name: "Strings".to_owned(),
                panels: vec![Panel { labels, mark, series: vec![series] }],
            }],
            legend: vec![("bugs".to_owned(), style)],
            scale,
            axes: Axes::PerRow,
        }
        .svg()
    }

    #[test]
    fn every_value_is_a_point_and_what_is_missing_breaks_the_line() {
        let svg = figure(Mark::Lines, Scale::Logarithmic, &[Some(0.0), Some(10.0), None, Some(3.0)]);
        // Three points, and one in the legend.
        assert_eq!(svg.matches("<circle").count(), 4);
        assert!(svg.contains("<title>4.8.2, bugs: 10</title>"), "{svg}");
        let line = svg.lines().find(|line| line.contains("stroke-width")).unwrap();
        assert_eq!((line.matches('M').count(), line.matches('L').count()), (2, 1), "{line}");
        assert!(svg.contains("Bugs &amp; more"));
    }

    #[test]
    fn bars_of_nothing_are_not_drawn() {
        let svg = figure(Mark::Bars, Scale::Linear, &[Some(5.0), Some(0.0), None]);
        // One bar, and the background.
        assert_eq!(svg.matches("<rect").count(), 2);
    }

    #[test]
    fn a_figure_without_values_is_a_figure() {
        assert!(figure(Mark::Lines, Scale::Linear, &[]).ends_with("</svg>\n"));
        assert!(!figure(Mark::Lines, Scale::Linear, &[None]).contains("NaN"));
    }

    #[test]
    fn numbers_are_short() {
        let texts = [0.0, 0.125, 2.5, 1234.5678].map(number);
        assert_eq!(texts, ["0", "0.125", "2.5", "1235"]);
    }
}
