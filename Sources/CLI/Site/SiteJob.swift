import Easel
import EaselSupport
import FoundationEssentials
import Glibc

/// Makes the variants of each picture of a site, except those that the last run has made.
final class SiteJob: Sendable {
  private let folder: String
  private let conversion: Conversion
  private let widths: [Int]
  private let formats: [ImageFormat]
  private let base: String
  private let sizes: String
  private let earlier: SiteManifest
  /// The variants of the last run by their keys.
  private let known: [String: SiteManifest.Variant]
  private let made = Locked<[Int: SiteManifest.Picture]>([:])

  init(
    folder: String, conversion: Conversion, widths: [Int], formats: [ImageFormat], base: String, sizes: String,
    earlier: SiteManifest
  ) {
    (self.folder, self.conversion, self.widths, self.formats) = (folder, conversion, widths, formats)
    (self.base, self.sizes, self.earlier) = (base.hasSuffix("/") ? String(base.dropLast()) : base, sizes, earlier)
    known = Dictionary(
      earlier.pictures.flatMap { $0.variants.map { ($0.key, $0) } }, uniquingKeysWith: { first, _ in first })
  }

  /// Makes what is missing of one picture.
  func make(_ input: BatchInput) throws -> BatchOutcome {
    let bytes = try InputReader(limits: conversion.limits, coder: conversion.coder).bytes(of: input.word)
    let header = try conversion.coder.probe(bytes, work: WorkContext(limits: conversion.limits))
    let size = header.uprightSize
    let hash = try bytes.withUnsafeBytes { SHA256.hash($0) }
    let stem = (input.subfolder.isEmpty ? "" : input.subfolder + "/") + Self.plain(input.values.name)
    var variants: [SiteManifest.Variant] = []
    var (written, total) = (0, 0)
    for format in formats {
      for width in widths(of: size) {
        let key = key(hash, width, format)
        let isPlaced = known[key].map { $0.file.hasPrefix("\(stem)-\(width).\(key).") } ?? false
        if isPlaced, let variant = known[key], isThere(variant) {
          variants.append(variant)
          continue
        }
        let variant = try make(bytes, width: width, of: size, format, named: "\(stem)-\(width).\(key)", key)
        variants.append(variant)
        (written, total) = (written + 1, total + variant.bytes)
      }
    }
    let html = SiteSnippet(
      picture: variants, size: size, base: base, sizes: sizes, name: Self.plain(input.values.name)
    ).html
    let picture = SiteManifest.Picture(
      source: Input.name(input.word), width: size.width, height: size.height, variants: variants, html: html)
    made.withLock { $0[input.index] = picture }
    try write(Array(html.utf8), to: "snippets/\(stem).html")
    guard written > 0 else {
      return .passedOver(input.word, Input.name(input.word), "because all of its variants are there")
    }
    return .written(
      ["input": .string(Input.name(input.word)), "variants": .integer(variants.count), "written": .integer(written)],
      "\(printable(Input.name(input.word))): \(written) of \(variants.count) variants written",
      bytes: (bytes.count, total))
  }

  /// Writes the manifest, and removes what only the last run needed.
  func finish(prunes: Bool) throws {
    let pictures = made.withLock { $0 }.sorted { $0.key < $1.key }.map(\.value)
    try write(SiteManifest(pictures).text(), to: SiteManifest.name)
    guard prunes else { return }
    let needed = Set(pictures.flatMap { $0.variants.map(\.file) })
    for picture in earlier.pictures {
      for variant in picture.variants where !needed.contains(variant.file) && Self.isInside(variant.file) {
        unlink("\(folder)/\(variant.file)")
      }
    }
  }

  /// The widths that a picture can have; its own one if it is smaller than the largest.
  private func widths(of size: PixelSize) -> [Int] {
    let smaller = widths.filter { $0 < size.width }
    return smaller.count == widths.count ? smaller : smaller + [size.width]
  }

  private func make(
    _ bytes: ImageBytes, width: Int, of size: PixelSize, _ format: ImageFormat, named name: String, _ key: String
  ) throws -> SiteManifest.Variant {
    var conversion = conversion
    conversion.format = format
    if width != size.width { conversion.transformer = .resize(width: width) }
    let product = try conversion.run(on: bytes)
    let file = "\(name).\(FormatNames.program.fileExtension(of: product.format))"
    try write(product.bytes, to: file)
    return SiteManifest.Variant(
      file: file, key: key, type: product.format.mimeType, width: product.size.width, height: product.size.height,
      bytes: product.bytes.count)
  }

  /// The number of all that decides the bytes of a variant.
  private func key(_ hash: [UInt8], _ width: Int, _ format: ImageFormat) -> String {
    let options = conversion.encodeOptions
    let settings = conversion.coder.effectiveOptions(options, for: format).settings
    let looks = [settings["quality-scale"], settings["score"]].compactMap { $0.map { " " + $0 } }.joined()
    let text = "1 \(width) \(format.mimeType) \(options.quality)\(looks)"
    return hexadecimal(SHA256.hash(hash + Array(text.utf8)).prefix(5))
  }

  private func isThere(_ variant: SiteManifest.Variant) -> Bool {
    var status = stat()
    return Self.isInside(variant.file) && stat("\(folder)/\(variant.file)", &status) == 0
      && status.st_mode & S_IFMT == S_IFREG && Int(status.st_size) == variant.bytes
  }

  /// False for a path that leads out of the folder, which nobody has written into the manifest but a stranger.
  private static func isInside(_ path: String) -> Bool {
    !path.hasPrefix("/") && !path.split(separator: "/").contains("..")
  }

  private static func plain(_ name: String) -> String { String(name.map { $0 == "/" || $0 == "\0" ? "-" : $0 }) }

  private func write(_ bytes: [UInt8], to file: String) throws { try write(ImageBytes(bytes), to: file) }

  private func write(_ bytes: ImageBytes, to file: String) throws {
    let path = "\(folder)/\(file)"
    try OutputFile.makeDirectory(of: path)
    try OutputFile.write(bytes, to: path, mayReplace: true)
  }
}
