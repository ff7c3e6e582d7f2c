import Easel
import FoundationEssentials

/// Makes thumbnails for the file managers of desktops.
struct ThumbnailCommand: Command {
  private static let freedesktop = Option<Bool>.flag(
    "freedesktop", "Write thumbnails of files and file: URIs into the cache that the programs of a desktop share.")
  private static let entry = Option<Bool>.flag(
    "entry", "Print the file easel.thumbnailer, by which a desktop finds this program for all formats that it reads.")
  private static let anew = Option<Bool>.flag(
    "anew", "Also make thumbnails that are there already, and try files again of which none could be made.")
  private static let size = Option<Int>.integer(
    "size", "N", in: 1...8192, "The pixels of the longer side. The default is 256.")

  static let description = CommandDescription(
    name: "thumbnail", summary: "Make thumbnails for file managers.",
    operands: .init(spelling: "INPUT...", count: 0...Int.max, completion: .pictures),
    details: [
      "A desktop calls 'easel thumbnail --size N INPUT OUTPUT', which writes a PNG and replaces OUTPUT. Pictures are decoded "
        + "in a sandbox, and damaged ones are shown as far as they go.",
      "With --freedesktop each input gets its thumbnail in $XDG_CACHE_HOME/thumbnails, or in ~/.cache/thumbnails: in the "
        + "folder normal (128 pixels), large (256), x-large (512) or xx-large (1024), the smallest that has N pixels. A "
        + "file of which none can be made is noted in the folder fail, and is not tried again before it changes.",
    ],
    options: [
      freedesktop.description, size.description, anew.description, entry.description,
      CommonOptions.maxPixels.description,
      CommonOptions.json.description,
    ] + SandboxOptions.all,
    examples: [
      .init("easel thumbnail --freedesktop *.heic", "Make the thumbnails that a file manager will look for."),
      .init("easel thumbnail --size 128 photo.avif photo.png", "Make one, as a desktop asks for it."),
      .init("easel thumbnail --entry", "Print which formats this program makes thumbnails of."),
    ])

  /// What is to be done.
  private enum Work {
    case printEntry
    case fillCache(ThumbnailCache, [String])
    case write(input: String, output: String)
  }

  private let work: Work
  private let pixels: Int
  private let isJSON: Bool
  private let maker: ThumbnailMaker

  init(_ arguments: Arguments) throws(UsageError) {
    let words = arguments.operands
    if arguments.has(Self.entry) {
      work = .printEntry
    } else if arguments.has(Self.freedesktop) {
      guard let cache = ThumbnailCache(environment: ProcessInfo.processInfo.environment) else {
        throw UsageError("--freedesktop finds no cache: neither XDG_CACHE_HOME nor HOME is the path of a folder.")
      }
      guard !words.isEmpty else { throw UsageError("thumbnail --freedesktop needs INPUT...") }
      work = .fillCache(cache, words)
    } else {
      guard words.count == 2 else {
        throw UsageError("thumbnail needs INPUT and OUTPUT, or --freedesktop and inputs.")
      }
      work = .write(input: words[0], output: words[1])
    }
    pixels = try arguments.value(Self.size) ?? 256
    isJSON = arguments.has(CommonOptions.json)
    maker = ThumbnailMaker(
      coder: try SandboxOptions.use(arguments, default: .all).coders,
      limits: Limits(maxPixels: try arguments.value(CommonOptions.maxPixels)), makesAnew: arguments.has(Self.anew))
  }

  func run(_ console: Console) -> ExitStatus {
    let report = Report(console, isJSON: isJSON)
    switch work {
    case .printEntry:
      console.result(ThumbnailerEntry.text)
      return .success
    case .write(let input, let output):
      return report.forEach([input]) { input in
        let made = try maker.thumbnail(of: FileURI(input)?.path ?? input, pixels: pixels)
        try OutputFile.write(ImageBytes(made.png), to: output, mayReplace: true)
        report.success(Self.json(input, output, made.size), "\(Input.name(input)) -> \(output): \(made.size)")
      }
    case .fillCache(let cache, let inputs):
      return report.forEach(inputs) { input in
        guard let uri = FileURI(input) else {
          throw ImageError(
            .unsupportedURL, "Thumbnails are made of local files: give a path or a file: URI.", subject: input)
        }
        switch try maker.fill(cache, with: uri, ThumbnailSize(atLeast: pixels)) {
        case .made(let path, let size):
          report.success(Self.json(input, path, size), "\(Input.name(input)) -> \(path): \(size)")
        case .current(let path):
          report.success(Self.json(input, path, nil), "\(Input.name(input)) -> \(path): is there")
        }
      }
    }
  }

  private static func json(_ input: String, _ output: String, _ size: PixelSize?) -> JSON {
    let names: JSON = ["input": .string(Input.name(input)), "output": .string(output), "made": .boolean(size != nil)]
    return size.map { names.adding(["width": .integer($0.width), "height": .integer($0.height)]) } ?? names
  }
}
