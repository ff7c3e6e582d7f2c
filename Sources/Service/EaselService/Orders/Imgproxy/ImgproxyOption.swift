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

  static let all: [ImgproxyOption] =
    size + cutting + turning + look + layers + watermarks + file + tuning + delivery + limits

  /// The segment after which options are those of the next pipeline.
  static let nextPipeline = "-"

  /// The option of each name, long or short.
  static let byName: [String: ImgproxyOption] = Dictionary(
    all.flatMap { option in option.names.map { ($0, option) } }, uniquingKeysWith: { first, _ in first })

  /// Options of imgproxy that this server does not have, with the reason.
  static let refused: [String: String] = [
    "dpi": "files keep their density", "color_profile": "pictures are converted to sRGB", "cp": "see color_profile",
    "icc": "see color_profile", "unsharp_masking": "use sharpen", "ush": "use sharpen",
    "objects_position": "objects are not found; use gravity:sm", "op": "see objects_position",
    "obj_pos": "see objects_position", "crop_objects": "objects are not found; use crop",
    "blur_detections": "objects are not found; use blur_areas", "bd": "see blur_detections",
    "draw_detections": "objects are not found", "dd": "see draw_detections",
    "progressive_blur": "a blur that grows is not made; use blur or blur_areas", "pbl": "see progressive_blur",
    "style": "drawings are shown as they are",
    "st": "see style", "video_thumbnail_second": "videos are not read", "vts": "see video_thumbnail_second",
    "video_thumbnail_keyframes": "videos are not read", "vtk": "see video_thumbnail_keyframes",
    "video_thumbnail_tile": "videos are not read", "vtt": "see video_thumbnail_tile",
    "video_thumbnail_animation": "videos are not read", "vta": "see video_thumbnail_animation",
    "bypass_cache": "caches are always asked", "bc": "see bypass_cache",
  ]
}
