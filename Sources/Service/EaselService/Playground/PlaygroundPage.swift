/// The page on which URLs are tried out, whose files are part of the program.
///
/// They are in the folder `Page`.
enum PlaygroundPage {
  static let html = text(PackageResources.playground_html)
  static let style = text(PackageResources.playground_css)
  static let script = text(PackageResources.playground_js)

  private static func text(_ file: [UInt8]) -> String { String(decoding: file, as: UTF8.self) }
}
