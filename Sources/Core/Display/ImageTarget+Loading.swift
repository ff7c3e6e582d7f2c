import FoundationEssentials

extension ImageTarget {
  /// Loads the picture of a URL and shows it; nil shows the placeholder and fails with `invalidURL`.
  ///
  /// What the target was loading under the same target key is given up, and nothing that was asked for before is shown
  /// any more. The placeholder is shown at once unless the picture is in memory.
  @discardableResult
  public func setImage(
    _ url: URL?, from manager: ImageManager, placeholder: Image? = nil, options: ImageOptions = [],
    context: ImageContext = []
  ) -> TargetLoad {
    setImage(ImageRequest(url: url, options: options, context: context), from: manager, placeholder: placeholder)
  }

  /// Loads what a request asks for and shows it.
  @discardableResult
  public func setImage(
    _ request: ImageRequest, from manager: ImageManager, placeholder: Image? = nil
  ) -> TargetLoad {
    let key = request.context[.targetKey] ?? ""
    let inMemory = manager.cachedImage(for: request) != nil
    let task = manager.load(request)
    let turn = imageLoads.begin(task, for: key, keepsPrevious: request.options.contains(.avoidAutoCancel))
    let showing = Showing(
      target: self, key: key, turn: turn, task: task, options: request.options, placeholder: placeholder,
      wasInMemory: inMemory)
    return TargetLoad(task: task, showing: Task.detached { try await showing.run() })
  }

  /// Gives up what the target is loading under a key.
  public func cancelImage(for key: String = "") { imageLoads.cancel(key) }
}
