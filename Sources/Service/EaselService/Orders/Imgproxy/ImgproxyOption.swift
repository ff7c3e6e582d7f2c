/// One option of imgproxy's URLs: the parser, the list of allowed options and the guide all follow from it.
struct ImgproxyOption: Sendable {
  /// The long name first.
  let names: [String]
  /// The arguments, as in `width:height`.
  let arguments: String
  /// One sentence for the guide.
  let help: String
  /// True if the option raises or lowers limits, which a server must allow.
  var isGuarded = false
  let apply: @Sendable (inout ImgproxyDraft, OptionArguments) throws(ServiceError) -> Void

  init(
    _ names: String..., arguments: String, help: String, isGuarded: Bool = false,
    apply: @escaping @Sendable (inout ImgproxyDraft, OptionArguments) throws(ServiceError) -> Void
  ) {
    self.names = names
    self.arguments = arguments
    self.help = help
    self.isGuarded = isGuarded
    self.apply = apply
  }

  static let all: [ImgproxyOption] = size + cutting + turning + look + file + delivery + limits

  /// The option of each name, long or short.
  static let byName: [String: ImgproxyOption] = Dictionary(
    all.flatMap { option in option.names.map { ($0, option) } }, uniquingKeysWith: { first, _ in first })

  /// Options of imgproxy that this server does not have, with the reason.
  static let refused: [String: String] = [
    "preserve_hdr": "pictures of high dynamic range are shown in the ordinary one", "ph": "see preserve_hdr",
    "hashsum": "originals are not compared with a sum", "hs": "see hashsum",
    "dpi": "files keep their density", "color_profile": "pictures are converted to sRGB", "cp": "see color_profile",
    "icc": "see color_profile", "unsharp_masking": "use sharpen", "ush": "use sharpen",
    "objects_position": "objects are not found; use gravity:sm", "op": "see objects_position",
    "watermark_text": "texts are not drawn", "wmt": "see watermark_text", "style": "drawings are shown as they are",
    "video_thumbnail_second": "videos are not read", "vts": "see video_thumbnail_second",
    "autoquality": "state a quality or max_bytes", "aq": "see autoquality",
  ]
}
