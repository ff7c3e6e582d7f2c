import Testing

extension Tag {
  /// Tests that run one by one, after all others.
  ///
  /// They start processes or servers, listen on ports, kill, fill disks, wait for real time, or count the descriptors, threads
  /// or memory of the whole process. All other tests run side by side, and must do nothing of this; `script/check kinds`
  /// looks for it.
  @Tag public static var alone: Self
}
