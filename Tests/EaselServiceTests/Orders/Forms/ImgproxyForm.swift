/// A way to write an option in a URL of imgproxy, and what it means.
struct ImgproxyForm {
  /// The options of the URL, or its whole path after the signature if it begins with a slash.
  let text: String
  /// The meaning that imgproxy's documentation gives it, in the terms of ``OrderTerms``, or `error`.
  let meaning: String
  /// The meaning here, if it is another one.
  let ownMeaning: String?
  /// The reason for it.
  let reason: String?

  /// Reads a table of lines with the names of an option, its arguments, its meaning, and where it differs also the
  /// meaning here and the reason.
  ///
  /// The parts are divided by bars. A line is one form for each name.
  static func forms(_ table: String) -> [ImgproxyForm] {
    table.split(separator: "\n").flatMap { line in
      let parts = line.split(separator: "|", omittingEmptySubsequences: false).map(trimmed)
      precondition(parts.count == 3 || parts.count == 5, "\(line) has \(parts.count) parts")
      let names = parts[0].isEmpty ? [""] : parts[0].split(separator: " ").map { "\($0):" }
      return names.map { name in
        ImgproxyForm(
          text: name + parts[1], meaning: parts[2], ownMeaning: parts.count > 3 ? parts[3] : nil,
          reason: parts.count > 4 ? parts[4] : nil)
      }
    }
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }

  /// All forms of the open source version.
  static let all = forms(sizes) + forms(cuts) + forms(looks) + forms(files) + forms(addresses)

  /// The names of options that are not in the open source version.
  static let namesOfOthers = Set(
    """
    resizing_algorithm ra crop_aspect_ratio crop_ar car background_alpha bga adjust a brightness br contrast co
    saturation sa monochrome mc duotone dt blur_areas ba colorize col gradient gr watermark_url wmu watermark_size wms
    watermark_rotate wm_rot wmr watermark_shadow wmsh page pg pages pgs disable_animation da jpeg_options jpgo
    png_options pngo png_quality pngq webp_options webpo avif_options avifo hashsum hs fallback_image_url fiu damaged dmg
    cache_tags ct fidelity fi jxl_options jxlo watermark_text wmt
    """.split { $0 == " " || $0 == "\n" }.map(String.init))
}
