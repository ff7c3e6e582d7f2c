import FoundationEssentials

extension ImageTarget {
  /// Loads the picture of a URL and shows it; nil shows the placeholder and fails with `invalidURL`.
  ///
  /// This cancels the target's previous load under the same target key, and no picture of an earlier request is shown
  /// any more. The placeholder is shown at once unless the picture is in memory.
  @discardableResult
  public func setImage(
    _ url: URL?, from manager: ImageManager, placeholder: Image? = nil, options: ImageOptions = [],
    context: ImageContext = []
  ) -> TargetLoad {
    setImage(ImageRequest(url: url, options: options, context: context), from: manager, placeholder: placeholder)
  }

  /// Loads the picture of a request and shows it.
  @discardableResult
  public func setImage(
    _ request: ImageRequest, from manager: ImageManager, placeholder: Image? = nil
  ) -> TargetLoad {
    // The channel exists before the load starts, so that no event is missed.
    let channel = EventChannel()
    let events = channel.stream()
    let task = ImageTask(request, by: manager, channel: channel)
    let key = task.context[.targetKey] ?? ""
    let turn = imageLoads.begin(task, for: key, keepsPrevious: task.options.contains(.avoidAutoCancel))
    let showing = Showing(
      target: self, key: key, turn: turn, task: task, events: events, options: task.options, placeholder: placeholder)
    return TargetLoad(task: task, showing: Task.detached { try await showing.run() })
  }

  /// The current load of the target under a key; nil when there is none.
  public func imageTask(for key: String = "") -> ImageTask? { imageLoads.task(for: key) }

  /// Cancels the target's load under a key.
  public func cancelImage(for key: String = "") { imageLoads.cancel(key) }
}
