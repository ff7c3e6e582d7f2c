import CEaselSVGBaseline
import EaselBenchmarkHarness
import EaselCore
import EaselSVG
import FoundationEssentials
import Glibc

/// Drawings through the public API, compared with librsvg called directly, and whole jobs, compared with other programs.
func svgCases() -> [BenchmarkCase] {
  [
    drawCase(
      "800 shapes at the file's size", drawing(ofShapes: 800, withText: false), PixelSize(width: 800, height: 600)),
    drawCase("800 shapes to 320 pixels", drawing(ofShapes: 800, withText: false), PixelSize(width: 320, height: 240)),
    drawCase("an icon to 320 pixels", drawing(ofShapes: 12, withText: false), PixelSize(width: 320, height: 240)),
    drawCase(
      "a chart with text at the file's size", drawing(ofShapes: 100, withText: true), PixelSize(width: 800, height: 600)
    ),
    pythonCase(), programCase("rsvg-convert"), programCase("ImageMagick"),
  ]
}

/// Overlapping shapes with gradients, strokes and transparency.
private func drawing(ofShapes count: Int, withText: Bool) -> Data {
  var text = """
    <svg xmlns="http://www.w3.org/2000/svg" width="800" height="600" viewBox="0 0 800 600"><defs>
    <linearGradient id="a"><stop stop-color="#e33"/><stop offset="1" stop-color="#33e" stop-opacity=".4"/></linearGradient>
    <radialGradient id="b"><stop stop-color="#fc3"/><stop offset="1" stop-color="#082"/></radialGradient></defs>
    """
  for index in 0..<count {
    let (x, y, size) = (index * 7919 % 760, index * 104_729 % 560, 10 + index % 60)
    switch index % 4 {
    case 0: text += "<rect x=\"\(x)\" y=\"\(y)\" width=\"\(size)\" height=\"\(size)\" fill=\"url(#a)\"/>"
    case 1: text += "<circle cx=\"\(x)\" cy=\"\(y)\" r=\"\(size)\" fill=\"url(#b)\" opacity=\".8\"/>"
    case 2:
      text +=
        "<path d=\"M\(x) \(y)c\(size) 0 0 \(size) \(size) \(size)s9-\(size) 30 4\" fill=\"none\" stroke=\"#024\"/>"
    default:
      text += "<path d=\"M\(x) \(y)l\(size) 9-\(size) \(size)z\" fill=\"#3a8\" stroke=\"#fff\" stroke-width=\"2\"/>"
    }
    if withText { text += "<text x=\"\(x)\" y=\"\(y)\" font-size=\"\(9 + index % 8)\">value \(index)</text>" }
  }
  return Data((text + "</svg>").utf8)
}

// MARK: librsvg

private func drawCase(_ name: String, _ drawing: Data, _ size: PixelSize) -> BenchmarkCase {
  BenchmarkCase(name, group: "SVG", against: "librsvg", atMost: 1.05) {
    var options = DecodeOptions()
    options.thumbnailSize = size
    let (bytes, drawn) = (ImageBytes(drawing), options)
    // Memory that has been used before, as Easel's pool has it too.
    let target = UnsafeMutableRawBufferPointer.allocate(byteCount: size.area * 4, alignment: 64)
    return BenchmarkPair(
      subject: .call { blackHole(try SVGCoder().decode(bytes, options: drawn, work: WorkContext())) },
      baseline: .call {
        let isDrawn = drawing.withUnsafeBytes {
          easel_baseline_draw_svg(
            $0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count, Int32(size.width), Int32(size.height),
            target.baseAddress?.assumingMemoryBound(to: UInt8.self))
        }
        precondition(isDrawn, "librsvg refuses the drawing.")
      })
  }
}

// MARK: Other libraries and programs

private func pythonCase() -> BenchmarkCase {
  BenchmarkCase("800 shapes to 320 pixels", group: "SVG", against: "pyvips", atMost: 1) {
    let path = try written(drawing(ofShapes: 800, withText: false), to: temporaryFolder(), named: "a.svg")
    let script = """
      import pyvips
      pyvips.cache_set_max(0)
      def work():
          pyvips.Image.thumbnail('\(path)', 320).write_to_memory()
      """
    var options = DecodeOptions()
    options.thumbnailSize = PixelSize(width: 320, height: 320)
    let drawn = options
    return BenchmarkPair(
      subject: .call {
        blackHole(try SVGCoder().decode(ImageBytes(contentsOfFile: path), options: drawn, work: WorkContext()))
      },
      baseline: try PythonRival.process(script: script, environment: ["VIPS_CONCURRENCY": "1"]).side)
  }
}

/// Easel draws in its sandbox here, as the program always does.
private func programCase(_ name: String) -> BenchmarkCase {
  BenchmarkCase("20 files to PNGs of 320 pixels", group: "SVG", against: name, atMost: 1, mostPairs: 5) {
    let folder = try temporaryFolder()
    for index in 0..<20 {
      _ = try written(drawing(ofShapes: 200 + index, withText: true), to: folder, named: "\(index).svg")
    }
    let each =
      name == "ImageMagick"
      ? "\(try InstalledProgram.path("convert-im6.q16", "convert")) -background none \"$f\" -resize 320x320 \"$f.png\""
      : "\(try InstalledProgram.path("rsvg-convert")) -w 320 -a \"$f\" -o \"$f.png\""
    return BenchmarkPair(
      subject: ChildJob(command: [
        "/bin/sh", "-c",
        "exec \(try InstalledProgram.easel()) thumb --size 320 --overwrite --dir \(folder)/made \(folder)/*.svg",
      ]).side,
      baseline: ChildJob(
        command: ["/bin/sh", "-c", "for f in \(folder)/*.svg; do \(each); done"],
        environment: ["MAGICK_THREAD_LIMIT": "1"]
      ).side)
  }
}

private func temporaryFolder() throws -> String {
  let path = "/tmp/easel-bench-\(UInt64.random(in: 0 ... .max))"
  guard mkdir(path, 0o700) == 0, mkdir("\(path)/made", 0o700) == 0 else {
    throw BenchmarkUnavailable("\(path) cannot be made")
  }
  return path
}

private func written(_ data: Data, to folder: String, named name: String) throws -> String {
  let path = "\(folder)/\(name)"
  try data.write(to: URL(filePath: path))
  return path
}
