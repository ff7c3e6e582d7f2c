import CEaselSVG
import EaselCore
import EaselFormats

extension SVGCoder: DescribedCoder {
  package static let card = FormatCard(
    .svg, "svg", extensions: ["svg", "svgz"],
    cost: FormatCost(
      // These costs are for the surface alone. The coder counts the drawing itself.
      decoding: 5, decoderBytes: (0, 4), fixedBytes: FormatCost.drawing),
    sample: Array("<svg xmlns='http://www.w3.org/2000/svg' width='4' height='3'><path d='M0 0h3v2z'/></svg>".utf8),
    libraries: {
      [LibraryVersion("librsvg", easel_svg_librsvg_version()), LibraryVersion("cairo", easel_svg_cairo_version())]
    })
}
